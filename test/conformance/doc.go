// Package conformance runs the official conformance suite for clients, the npm package that package.json pins, against a client that is
// built on this program's back end (folder client). It needs `npm ci` in this folder and the build tag conformance; `make
// test-conformance` does both.
//
// A client that does nothing passes some scenarios, so how many checks have to succeed is part of the table of scenarios.
package conformance
