package store

import (
	"context"
	"database/sql"
	"errors"
)

// Setting returns a stored value and whether there is one.
func (s *Store) Setting(ctx context.Context, key string) (value string, ok bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, `SELECT value FROM settings WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, s.fail(err, "reading setting %q", key)
	}
	return value, true, nil
}

// SetSetting stores a value under a key, which must not be empty.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	if err := validText(key, value); err != nil {
		return s.fail(err, "storing setting %q", key)
	}
	_, err := s.db.Write.ExecContext(ctx, `INSERT INTO settings (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	if err != nil {
		return s.fail(err, "storing setting %q", key)
	}
	return nil
}
