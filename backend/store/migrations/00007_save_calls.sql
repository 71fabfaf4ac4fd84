-- +goose Up
-- Beside the calls and not in them: a column behind the result would be read through all of its pages.
CREATE TABLE pins (
    call_id TEXT PRIMARY KEY REFERENCES calls (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_calls (
    name       TEXT PRIMARY KEY COLLATE NOCASE CHECK (name <> ''), -- what the person calls it
    server_id  TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    item       TEXT NOT NULL, -- tool, prompt or URI
    arguments  TEXT,          -- JSON as it is sent
    updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX saved_calls_of_server ON saved_calls (server_id);
