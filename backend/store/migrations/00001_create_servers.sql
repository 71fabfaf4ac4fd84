-- +goose Up
CREATE TABLE servers (
    id                  TEXT PRIMARY KEY CHECK (id <> ''),
    name                TEXT NOT NULL,
    transport           TEXT NOT NULL,
    url                 TEXT NOT NULL,
    headers             TEXT NOT NULL, -- JSON
    command             TEXT NOT NULL,
    args                TEXT NOT NULL, -- JSON
    env                 TEXT NOT NULL, -- JSON
    cwd                 TEXT NOT NULL,
    era                 TEXT NOT NULL,
    retry_max_attempts  INTEGER NOT NULL,
    retry_base_delay    INTEGER NOT NULL, -- nanoseconds, as all durations
    retry_max_delay     INTEGER NOT NULL,
    timeout_connect     INTEGER NOT NULL,
    timeout_discovery   INTEGER NOT NULL,
    timeout_call_idle   INTEGER NOT NULL,
    timeout_call_total  INTEGER NOT NULL,
    enabled             INTEGER NOT NULL,
    trust_local_network INTEGER NOT NULL,
    client_id           TEXT NOT NULL,
    learned_transport   TEXT NOT NULL,
    learned_era         TEXT NOT NULL,
    learned_version     TEXT NOT NULL,
    last_error          TEXT,             -- JSON
    created_at          INTEGER NOT NULL, -- microseconds since 1970, UTC, as all times
    updated_at          INTEGER NOT NULL
) STRICT;
