package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"jackfield/backend/store"
)

const assertionLife = 60 * time.Second

// signAssertion makes the JWT by which a client proves itself (RFC 7523 section 3). Its audience is the issuer and not the token endpoint:
// the issuer is what the client is bound to, while an endpoint is whatever metadata says; an assertion for an endpoint could be passed on
// to another server that names the same one. It is good once, for a minute.
func signAssertion(issuer, clientID string, key store.Secret, now time.Time) (string, error) {
	private, method, err := parseKey(key)
	if err != nil {
		return "", err
	}
	// As a map, so that "aud" is one string: not every server takes the list that jwt.RegisteredClaims would make of it.
	signed, err := jwt.NewWithClaims(method, jwt.MapClaims{
		"iss": clientID, "sub": clientID, "aud": issuer, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	}).SignedString(private)
	if err != nil {
		return "", errors.New("the private key of this server cannot sign. Enter another")
	}
	return signed, nil
}

// parseKey reads a private key in PEM and says which algorithm goes with it. No error repeats anything of the key.
func parseKey(key store.Secret) (crypto.PrivateKey, jwt.SigningMethod, error) {
	if key.IsZero() {
		return nil, nil, errors.New("this client needs a private key. Enter it with the server")
	}
	block, _ := pem.Decode([]byte(key.Reveal()))
	if block == nil {
		return nil, nil, errors.New("the private key is not in PEM format (“-----BEGIN PRIVATE KEY-----”). Enter it again")
	}
	var parsed any
	var err error
	switch block.Type {
	case "RSA PRIVATE KEY":
		parsed, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		parsed, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, nil, errors.New("the private key cannot be read. It has to be RSA, EC or Ed25519, without a passphrase")
	}
	switch k := parsed.(type) {
	case *rsa.PrivateKey:
		return k, jwt.SigningMethodRS256, nil
	case ed25519.PrivateKey:
		return k, jwt.SigningMethodEdDSA, nil
	case *ecdsa.PrivateKey:
		switch k.Params().BitSize {
		case 256:
			return k, jwt.SigningMethodES256, nil
		case 384:
			return k, jwt.SigningMethodES384, nil
		case 521:
			return k, jwt.SigningMethodES512, nil
		}
		return nil, nil, fmt.Errorf("there is no algorithm for a private key on the curve %s. Use P-256", k.Params().Name)
	}
	return nil, nil, errors.New("the private key is of a kind that does not sign. It has to be RSA, EC or Ed25519")
}
