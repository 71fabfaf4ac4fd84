// Package oauth signs in to MCP servers: discovery, registration, authorization in the person's own browser, tokens, refresh and
// revocation, by the authorization chapter of MCP 2026-07-28, with the fallback of 2025-03-26.
//
// Ownership. A Client owns every running attempt (a flow), what is known of each server's last challenge, and the refreshes under way.
// Registrations, grants and their tokens are the store's; nothing here keeps a copy of a token beyond one request. Everything is bound
// to an issuer: a registration, a secret or a refresh token never goes to another one.
//
// Concurrency. Every method is safe for concurrent use. Refreshing is single-flight per server and, by a lease in the store, across
// processes. A flow ends with the context that SignIn was given, or after 10 minutes.
//
// Nothing here opens a browser by itself: only SignIn does, which a person asked for.
package oauth
