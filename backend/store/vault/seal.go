package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

// service is what the keyring files the key under: the identifier of this program.
const service = "app.jackfield.Jackfield"

const (
	keySize = 32
	format  = 1 // of a sealed row
)

var errSealBroken = errors.New("the row was not sealed with this key, or not for this place")

// newKey makes a key.
func newKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	return key
}

// seal encrypts a secret for one place: AES-256-GCM with a nonce of its own, in front of the ciphertext.
func seal(key []byte, uuid string, version int64, id ID, secret []byte) ([]byte, error) {
	gcm, err := newGCM(key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce)
	return gcm.Seal(nonce, nonce, secret, place(uuid, version, id)), nil
}

// unseal decrypts what seal made for the same place.
func unseal(key []byte, uuid string, version int64, id ID, sealed []byte) ([]byte, error) {
	gcm, err := newGCM(key)
	if err != nil {
		return nil, err
	}
	if len(sealed) < gcm.NonceSize() {
		return nil, errSealBroken
	}
	nonce, text := sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():]
	secret, err := gcm.Open(nil, nonce, text, place(uuid, version, id))
	if err != nil {
		return nil, errSealBroken
	}
	return secret, nil
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("using the key: %w", err)
	}
	return cipher.NewGCM(block)
}

// place is what a sealed row is bound to besides the key, so that no row can take another's place. Each part carries its length:
// otherwise two different places could read the same.
func place(uuid string, version int64, id ID) []byte {
	out := binary.BigEndian.AppendUint64(nil, format)
	out = binary.BigEndian.AppendUint64(out, uint64(version))
	for _, part := range []string{service, uuid, id.Kind, id.ServerID, id.Issuer, id.Ref} {
		out = binary.BigEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

// canary is the row that tells whether a key is the right one.
func canary() (ID, []byte) { return ID{Kind: "canary"}, []byte("jackfield") }

func encodeKey(key []byte) string { return base64.RawURLEncoding.EncodeToString(key) }

func decodeKey(text string) ([]byte, error) {
	key, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(key) != keySize {
		return nil, errors.New("the keyring's item is not a key of this program")
	}
	return key, nil
}

// item names the key of one version in the keyring.
func item(uuid string, version int64) string { return fmt.Sprintf("vault-key/v%d/%s", version, uuid) }
