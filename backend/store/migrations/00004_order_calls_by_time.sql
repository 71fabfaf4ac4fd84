-- Ids are chosen by whoever starts a call and need not sort by time.
-- +goose Up
DROP INDEX calls_of_server;
CREATE INDEX calls_of_server ON calls (server_id, started_at, id);
CREATE INDEX calls_by_time ON calls (started_at, id);
