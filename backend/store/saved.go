package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// SavedCall is a call that the person keeps under a name, to make it again.
type SavedCall struct {
	Name      string // unique whatever the case of ASCII letters; 1 to 200 bytes
	ServerID  string
	Kind      Kind
	Item      string          // tool name, prompt name or resource URI
	Arguments json.RawMessage // a JSON object as it is sent; nil if there are none
	UpdatedAt time.Time
}

const (
	savedColumns   = `name, server_id, kind, item, arguments, updated_at`
	savedNameLimit = 200
)

// SaveCall stores a call under its name, in place of another of that name. It returns ErrNotFound if its server is not stored.
func (s *Store) SaveCall(ctx context.Context, saved SavedCall) error {
	saved.Name = strings.TrimSpace(saved.Name)
	switch {
	case saved.Name == "":
		return errors.New("a saved call needs a name")
	case len(saved.Name) > savedNameLimit:
		return fmt.Errorf("the name of a saved call may have %d bytes at most", savedNameLimit)
	case saved.Arguments != nil && !json.Valid(saved.Arguments):
		return errors.New("the arguments of a saved call must be JSON")
	}
	if err := validText(saved.Name, saved.Item); err != nil {
		return err
	}
	result, err := s.db.Write.ExecContext(ctx, `INSERT INTO saved_calls (`+savedColumns+`)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM servers WHERE id = ?2)
		ON CONFLICT (name) DO UPDATE SET name = excluded.name, server_id = excluded.server_id, kind = excluded.kind,
		item = excluded.item, arguments = excluded.arguments, updated_at = excluded.updated_at`,
		saved.Name, saved.ServerID, saved.Kind, saved.Item, rawText(saved.Arguments), s.now().UnixMicro())
	if err == nil {
		err = needsRow(result)
	}
	if err != nil {
		return s.fail(err, "saving the call %q", saved.Name)
	}
	return nil
}

// needsRow is ErrNotFound for a statement that changed nothing.
func needsRow(result sql.Result) error {
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// SavedCalls returns the saved calls of a server, or of all for "", by name.
func (s *Store) SavedCalls(ctx context.Context, serverID string) (_ []SavedCall, err error) {
	rows, err := s.db.Read.QueryContext(ctx, `SELECT `+savedColumns+` FROM saved_calls
		WHERE ?1 = '' OR server_id = ?1 ORDER BY name`, serverID)
	if err != nil {
		return nil, s.fail(err, "reading the saved calls")
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	saved := []SavedCall{}
	for rows.Next() {
		one, err := scanSaved(rows)
		if err != nil {
			return nil, s.fail(err, "reading the saved calls")
		}
		saved = append(saved, one)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fail(err, "reading the saved calls")
	}
	return saved, nil
}

// SavedCall returns the saved call of a name, or ErrNotFound.
func (s *Store) SavedCall(ctx context.Context, name string) (SavedCall, error) {
	saved, err := scanSaved(s.db.Read.QueryRowContext(ctx, `SELECT `+savedColumns+` FROM saved_calls WHERE name = ?`, strings.TrimSpace(name)))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return SavedCall{}, s.fail(err, "reading the saved call %q", name)
	}
	return saved, nil
}

// DeleteSaved deletes the saved call of a name. It returns ErrNotFound if there is none.
func (s *Store) DeleteSaved(ctx context.Context, name string) error {
	result, err := s.db.Write.ExecContext(ctx, `DELETE FROM saved_calls WHERE name = ?`, strings.TrimSpace(name))
	if err == nil {
		err = needsRow(result)
	}
	if err != nil {
		return s.fail(err, "deleting the saved call %q", name)
	}
	return nil
}

func scanSaved(row scanner) (saved SavedCall, err error) {
	var arguments *string
	var updated int64
	if err := row.Scan(&saved.Name, &saved.ServerID, &saved.Kind, &saved.Item, &arguments, &updated); err != nil {
		return SavedCall{}, err
	}
	if arguments != nil {
		saved.Arguments = json.RawMessage(*arguments)
	}
	saved.UpdatedAt = toTime(updated)
	return saved, nil
}

// PinCall keeps a call of the history for good, or gives it free. It returns ErrNotFound if the call is not there.
func (s *Store) PinCall(ctx context.Context, id string, pinned bool) error {
	var known int
	err := s.db.Read.QueryRowContext(ctx, `SELECT 1 FROM calls WHERE id = ?`, id).Scan(&known)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err == nil {
		statement := `DELETE FROM pins WHERE call_id = ?`
		if pinned {
			statement = `INSERT INTO pins (call_id) SELECT id FROM calls WHERE id = ? ON CONFLICT DO NOTHING`
		}
		_, err = s.db.Write.ExecContext(ctx, statement, id)
	}
	if err != nil {
		return s.fail(err, "pinning call %q", id)
	}
	return nil
}
