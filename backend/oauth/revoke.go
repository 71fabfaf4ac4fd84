package oauth

import (
	"context"
	"net/url"

	"jackfield/backend/store"
)

// revoke posts to a revocation endpoint (RFC 7009). An authorization server answers a token that it does not know as one it has revoked.
func (f *fetcher) revoke(ctx context.Context, endpoint string, client store.Registration, key store.Secret, token store.Secret, hint string) error {
	form := url.Values{"token": {token.Reveal()}}
	if hint != "" {
		form.Set("token_type_hint", hint)
	}
	answer, err := f.post(ctx, endpoint, client, key, form)
	if err != nil {
		return err
	}
	if answer.status < 200 || answer.status > 299 {
		return refusal(answer, parseAnswer(answer))
	}
	return nil
}
