-- +goose Up
CREATE TABLE vault (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    uuid        TEXT NOT NULL,
    mode        TEXT NOT NULL,    -- keyring, passphrase
    key_version INTEGER NOT NULL, -- 0: there was no key yet
    canary      BLOB              -- a known text, sealed with the key
) STRICT;

CREATE TABLE secrets (
    kind        TEXT NOT NULL,
    server_id   TEXT NOT NULL,    -- '' for what belongs to an issuer
    issuer      TEXT NOT NULL,    -- '' for what belongs to a server
    ref         TEXT NOT NULL,
    key_version INTEGER NOT NULL,
    sealed      BLOB NOT NULL,    -- nonce and ciphertext
    PRIMARY KEY (kind, server_id, issuer, ref)
) STRICT;
