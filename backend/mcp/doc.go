// Package mcp is the connection manager: servers, connections, catalogs, calls and the questions that servers ask.
package mcp
