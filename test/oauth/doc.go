// Package oauth runs sign-in against authorization servers of other people: the npm packages that package.json pins, each with a small MCP
// server that takes its tokens. It needs `npm ci` in this folder and the build tag oauth; `make test-oauth` does both. No person is needed.
package oauth
