//go:build deps

// Package deps pins libraries that are about to be used.
package deps

import (
	_ "github.com/golang-jwt/jwt/v5"
	_ "github.com/modelcontextprotocol/go-sdk/auth"
	_ "github.com/modelcontextprotocol/go-sdk/oauthex"
	_ "github.com/zalando/go-keyring"
	_ "golang.org/x/crypto/argon2"
	_ "golang.org/x/oauth2"
)
