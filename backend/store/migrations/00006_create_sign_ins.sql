-- +goose Up
ALTER TABLE servers ADD COLUMN sign_in TEXT NOT NULL DEFAULT '{}'; -- JSON
ALTER TABLE servers ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE servers ADD COLUMN approved TEXT NOT NULL DEFAULT '';

CREATE TABLE oauth_registrations (
    issuer            TEXT NOT NULL CHECK (issuer <> ''),
    redirect          TEXT NOT NULL,
    server_id         TEXT NOT NULL,    -- '' for every server of the issuer
    redirect_uri      TEXT NOT NULL,
    client_id         TEXT NOT NULL,
    auth_method       TEXT NOT NULL,
    has_secret        INTEGER NOT NULL,
    secret_expires_at INTEGER,          -- NULL: never
    source            TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    PRIMARY KEY (issuer, redirect, server_id)
) STRICT;

CREATE TABLE oauth_grants (
    server_id           TEXT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    resource            TEXT NOT NULL,
    issuer              TEXT NOT NULL CHECK (issuer <> ''),
    token_endpoint      TEXT NOT NULL,
    revocation_endpoint TEXT NOT NULL,
    redirect            TEXT NOT NULL,
    registration        TEXT NOT NULL,  -- JSON, without its secret
    scopes_requested    TEXT NOT NULL,  -- JSON
    scopes_granted      TEXT NOT NULL,  -- JSON
    expires_at          INTEGER,        -- NULL: unknown
    generation          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL
) STRICT;

CREATE TABLE oauth_issuers (
    issuer                   TEXT PRIMARY KEY CHECK (issuer <> ''),
    redirect                 TEXT NOT NULL,
    refused                  TEXT NOT NULL, -- JSON
    refresh_without_resource INTEGER NOT NULL
) STRICT;

CREATE TABLE sign_ins (
    server_id TEXT PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    attempt   TEXT NOT NULL -- JSON
) STRICT;

CREATE TABLE leases (
    name       TEXT PRIMARY KEY CHECK (name <> ''),
    owner      TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
