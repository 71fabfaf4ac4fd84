-- +goose Up
CREATE TABLE calls (
    id          TEXT PRIMARY KEY CHECK (id <> ''),
    server_id   TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    run_id      TEXT NOT NULL, -- the run of the program that made the call
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    arguments   TEXT,          -- JSON as sent
    outcome     TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    duration    INTEGER NOT NULL,
    size        INTEGER NOT NULL,
    result_kept TEXT NOT NULL, -- no, row, file
    failure     TEXT,          -- JSON
    asks        TEXT NOT NULL, -- JSON
    result      TEXT           -- JSON as received; last, so that reading the rest never touches its pages
) STRICT;

CREATE INDEX calls_of_server ON calls (server_id, id);
CREATE INDEX calls_running ON calls (run_id) WHERE outcome = 'running';
