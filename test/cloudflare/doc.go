// Package cloudflare checks the Manager against MCP servers on Cloudflare's own code (McpAgent, WorkerTransport, createMcpHandler), run by
// workerd, by the acceptance checks of Cloudflare's MCPClientManager; the names of the tests carry their numbers. What needs a server
// that misbehaves uses a small one of this package. The checks of signing in are in backend/oauth and test/oauth.
//
// It needs the build tag cloudflare and the npm packages of this directory. Where those are not installed, or workerd does not start within a
// minute, the checks that need it are skipped and say why.
package cloudflare
