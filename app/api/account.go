package api

import (
	"cmp"

	"jackfield/backend/mcp"
	"jackfield/backend/store"
	"jackfield/backend/store/vault"
)

// SignInOf is one attempt to sign in.
func SignInOf(s store.SignIn) SignIn {
	return SignIn{
		ID: s.ID, State: string(s.State), Detail: s.Detail, StartedAt: timestamp(s.StartedAt), Deadline: timestamp(s.Deadline),
		Issuer: s.Issuer, Host: s.Host, Redirect: string(s.Redirect), RedirectURI: s.RedirectURI, Scopes: list(s.Scopes),
		URL: s.URL, Opened: s.Opened, Steps: each(s.Steps, signInStepOf), Error: failure(s.Failure),
	}
}

func signInStepOf(s store.SignInStep) SignInStep {
	return SignInStep{
		Name: s.Name, State: s.State, Detail: s.Detail, StartedAt: timestamp(s.StartedAt), TookMs: ms(s.Took),
		Exchanges: each(s.Exchanges, exchangeOf),
	}
}

func exchangeOf(e store.HTTPExchange) HTTPExchange {
	return HTTPExchange{
		Method: e.Method, URL: e.URL, Sent: e.Sent, Status: e.Status, Received: e.Received, Error: e.Error, TookMs: ms(e.Took),
	}
}

// AccountOf is what a server is signed in as.
func AccountOf(a store.Account) Account {
	return Account{
		Issuer: a.Issuer, Resource: a.Resource, ClientID: a.ClientID, Source: string(a.Source), Redirect: string(a.Redirect),
		RedirectURI: a.RedirectURI, ScopesRequested: list(a.ScopesRequested), ScopesGranted: list(a.ScopesGranted),
		ExpiresAt: timestamp(a.ExpiresAt), Renews: a.Renews, Kept: a.Kept, UpdatedAt: timestamp(a.UpdatedAt),
	}
}

// reviewOf is nil unless a person has to look at the entry first.
func reviewOf(status mcp.Status) *Review {
	if !status.NeedsReview {
		return nil
	}
	return &Review{Source: string(status.Server.Source), Hash: store.CommandHash(status.Server)}
}

// VaultOf says where secrets are kept.
func VaultOf(s vault.Status) Vault {
	return Vault{State: string(s.State), Mode: string(s.Mode), Detail: s.Detail, Hint: s.Hint, Sealed: s.Sealed}
}

// SignInInputOf is what the page said to a running attempt.
func SignInInputOf(input SignInInput) store.SignInInput {
	return store.SignInInput{
		Confirm: input.Confirm, Address: input.Address, BrowserError: input.BrowserError, ClientID: input.ClientID,
		ClientSecret: vault.NewSecret(input.ClientSecret), OpenAgain: input.OpenAgain,
	}
}

// signInConfigOf leaves the secrets behind.
func signInConfigOf(server store.Server) SignInConfig {
	s := server.SignIn
	return SignInConfig{
		Mode: string(cmp.Or(s.Mode, store.SignInAuto)), Redirect: string(s.Redirect), ClientID: server.ClientID, Issuer: s.Issuer,
		AuthMethod: s.AuthMethod, HasSecret: s.HasSecret || !s.ClientSecret.IsZero(), HasKey: s.HasKey || !s.PrivateKey.IsZero(),
		Scopes: list(s.Scopes), Resource: s.Resource, OmitResource: s.OmitResource, NoConsent: s.NoConsent, NoOffline: s.NoOffline,
	}
}

// signInConfigFrom reads the dialog. An empty secret with has… stays as it is stored; without it, it goes.
func signInConfigFrom(c SignInConfig) store.SignInConfig {
	return store.SignInConfig{
		Mode: store.SignInMode(c.Mode), Redirect: store.RedirectKind(c.Redirect), Issuer: c.Issuer, AuthMethod: c.AuthMethod,
		ClientSecret: vault.NewSecret(c.ClientSecret), HasSecret: c.HasSecret || c.ClientSecret != "",
		PrivateKey: vault.NewSecret(c.PrivateKey), HasKey: c.HasKey || c.PrivateKey != "",
		Scopes: c.Scopes, Resource: c.Resource, OmitResource: c.OmitResource, NoConsent: c.NoConsent, NoOffline: c.NoOffline,
	}
}
