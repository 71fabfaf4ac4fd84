package store

import (
	"context"
	"strings"
	"time"
)

// Retention bounds the history. Zero means no limit. Running and pinned calls stay whatever it says.
type Retention struct {
	Calls int           `json:"calls"` // of each server
	Age   time.Duration `json:"age"`
	Bytes int64         `json:"bytes"` // of arguments and results of all servers, the newest kept
}

// retentionKey is the setting that holds it.
const retentionKey = "history.retention"

// defaultRetention is what bounds the history of a person who has not said otherwise.
var defaultRetention = Retention{Calls: 2000, Bytes: 2 << 30}

// Retention returns what bounds the history.
func (s *Store) Retention(ctx context.Context) (Retention, error) {
	text, ok, err := s.Setting(ctx, retentionKey)
	if err != nil || !ok {
		return defaultRetention, err
	}
	var r Retention
	if err := fromJSON(text, &r); err != nil {
		return defaultRetention, s.fail(err, "reading how long calls are kept")
	}
	return r.valid(), nil
}

// SetRetention stores what bounds the history; Prune applies it.
func (s *Store) SetRetention(ctx context.Context, r Retention) error {
	text, err := toJSON(r.valid())
	if err != nil {
		return err
	}
	return s.SetSetting(ctx, retentionKey, text)
}

func (r Retention) valid() Retention {
	return Retention{max(r.Calls, 0), max(r.Age, 0), max(r.Bytes, 0)}
}

// Prune deletes the calls that are beyond what r keeps, and returns how many. It also deletes result files that no row names.
func (s *Store) Prune(ctx context.Context, r Retention) (deleted int, err error) {
	var conditions []string
	var args []any
	if r.Calls > 0 {
		conditions = append(conditions, `id IN (SELECT id FROM (
			SELECT id, row_number() OVER (PARTITION BY server_id ORDER BY started_at DESC, id DESC) AS place FROM calls) WHERE place > ?)`)
		args = append(args, r.Calls)
	}
	if r.Age > 0 {
		conditions = append(conditions, `started_at < ?`)
		args = append(args, s.now().Add(-r.Age).UnixMicro())
	}
	if r.Bytes > 0 {
		conditions = append(conditions, `id IN (SELECT id FROM (
			SELECT id, sum(coalesce(length(arguments), 0) + CASE result_kept WHEN 'no' THEN 0 ELSE size END) OVER (
				ORDER BY started_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS bytes
			FROM calls WHERE id NOT IN (SELECT call_id FROM pins)) WHERE bytes > ?)`)
		args = append(args, r.Bytes)
	}
	if len(conditions) > 0 {
		deleted, err = s.deleteCalls(ctx, `outcome <> 'running' AND id NOT IN (SELECT call_id FROM pins)
			AND (`+strings.Join(conditions, " OR ")+`)`, args...)
		if err != nil {
			return deleted, s.fail(err, "pruning the history")
		}
	}
	return deleted, s.sweepResults(ctx)
}
