-- +goose Up
CREATE TABLE counter (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    value      INTEGER NOT NULL,
    changed_at INTEGER NOT NULL -- microseconds since 1970, UTC, as all times
) STRICT;

INSERT INTO counter (id, value, changed_at) VALUES (1, 0, 0);

CREATE TABLE orders (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    document   TEXT NOT NULL, -- the arguments of create_order, as JSON
    total      INTEGER NOT NULL, -- cents
    created_at INTEGER NOT NULL
) STRICT;
