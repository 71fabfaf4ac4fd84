// Package peers holds the tests against real third-party servers: the npm packages that package.json pins. They need
// `npm ci` in this folder and the build tag peers; `make test-peers` does both.
package peers
