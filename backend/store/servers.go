package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

const serverColumns = `id, name, transport, url, headers, command, args, env, cwd, era,
	retry_max_attempts, retry_base_delay, retry_max_delay,
	timeout_connect, timeout_discovery, timeout_call_idle, timeout_call_total,
	enabled, trust_local_network, client_id, learned_transport, learned_era, learned_version,
	last_error, created_at, updated_at, sign_in, source, approved, roots, log_level`

// Servers returns every stored server, oldest first.
func (s *Store) Servers(ctx context.Context) (_ []Server, err error) {
	rows, err := s.db.Read.QueryContext(ctx, `SELECT `+serverColumns+` FROM servers ORDER BY created_at, id`)
	if err != nil {
		return nil, s.fail(err, "reading the servers")
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	servers := []Server{}
	for rows.Next() {
		server, err := scanServer(rows)
		if err != nil {
			return nil, s.fail(err, "reading the servers")
		}
		servers = append(servers, server)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fail(err, "reading the servers")
	}
	return servers, nil
}

// Server returns one server, or ErrNotFound.
func (s *Store) Server(ctx context.Context, id string) (Server, error) {
	server, err := scanServer(s.db.Read.QueryRowContext(ctx, `SELECT `+serverColumns+` FROM servers WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Server{}, s.fail(err, "reading server %q", id)
	}
	return server, nil
}

// PutServer inserts or replaces a server; its history stays. A zero CreatedAt means now, or as it was; a zero UpdatedAt
// means now. Times are kept to the microsecond.
func (s *Store) PutServer(ctx context.Context, server Server) error {
	server, secrets, err := s.takeSecrets(ctx, server)
	if err != nil {
		return fmt.Errorf("storing server %q: %w", server.ID, err)
	}
	args, err := serverRow(server, s.now())
	if err != nil {
		return fmt.Errorf("storing server %q: %w", server.ID, err)
	}
	err = s.sealed(ctx, len(secrets.put) > 0, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, putServer, args...); err != nil {
			return err
		}
		return secrets.store(ctx, tx, s.vault)
	})
	if err != nil {
		return s.fail(err, "storing server %q", server.ID)
	}
	return nil
}

// sealed runs a transaction. One that seals secrets needs the key first.
func (s *Store) sealed(ctx context.Context, seals bool, do func(tx *sql.Tx) error) error {
	if seals {
		if err := s.vault.Current(ctx); err != nil {
			return err
		}
	}
	tx, err := s.db.Write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// putServer is an upsert: REPLACE would delete the row first, and the history with it. Its last parameter is whether
// CreatedAt was given.
const putServer = `INSERT INTO servers (` + serverColumns + `)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (id) DO UPDATE SET
	name = excluded.name, transport = excluded.transport, url = excluded.url, headers = excluded.headers,
	command = excluded.command, args = excluded.args, env = excluded.env, cwd = excluded.cwd,
	era = excluded.era, retry_max_attempts = excluded.retry_max_attempts,
	retry_base_delay = excluded.retry_base_delay, retry_max_delay = excluded.retry_max_delay,
	timeout_connect = excluded.timeout_connect, timeout_discovery = excluded.timeout_discovery,
	timeout_call_idle = excluded.timeout_call_idle, timeout_call_total = excluded.timeout_call_total,
	enabled = excluded.enabled, trust_local_network = excluded.trust_local_network,
	client_id = excluded.client_id, learned_transport = excluded.learned_transport,
	learned_era = excluded.learned_era, learned_version = excluded.learned_version,
	last_error = excluded.last_error, updated_at = excluded.updated_at,
	sign_in = excluded.sign_in, source = excluded.source, approved = excluded.approved,
	roots = excluded.roots, log_level = excluded.log_level,
	created_at = iif(?, excluded.created_at, created_at)`

// serverRow returns the parameters of putServer.
func serverRow(server Server, now time.Time) ([]any, error) {
	if server.ID == "" {
		return nil, errors.New("a server needs an id")
	}
	text := []string{server.ID, server.Name, server.URL, server.Command, server.Cwd, server.ClientID, server.SignIn.Issuer, server.SignIn.Resource}
	text = append(text, server.Args...)
	text = append(text, server.Roots...)
	text = append(text, string(server.LogLevel))
	for _, variable := range append(append([]Variable{}, server.Headers...), server.Env...) {
		text = append(text, variable.Name, variable.Value, variable.Ref)
	}
	if err := validText(text...); err != nil {
		return nil, err
	}
	headers, err := toJSON(server.Headers)
	if err != nil {
		return nil, err
	}
	args, err := toJSON(server.Args)
	if err != nil {
		return nil, err
	}
	env, err := toJSON(server.Env)
	if err != nil {
		return nil, err
	}
	signIn, err := toJSON(server.SignIn)
	if err != nil {
		return nil, err
	}
	roots, err := toJSON(append([]string{}, server.Roots...))
	if err != nil {
		return nil, err
	}
	lastError, err := nullable(server.LastError)
	if err != nil {
		return nil, err
	}
	dated := !server.CreatedAt.IsZero()
	if !dated {
		server.CreatedAt = now
	}
	if server.UpdatedAt.IsZero() {
		server.UpdatedAt = now
	}
	return []any{
		server.ID, server.Name, server.Transport, server.URL, headers, server.Command, args, env, server.Cwd, server.Era,
		server.Retry.MaxAttempts, int64(server.Retry.BaseDelay), int64(server.Retry.MaxDelay),
		int64(server.Timeouts.Connect), int64(server.Timeouts.Discovery),
		int64(server.Timeouts.CallIdle), int64(server.Timeouts.CallTotal),
		server.Enabled, server.TrustLocalNetwork, server.ClientID,
		server.Learned.Transport, server.Learned.Era, server.Learned.ProtocolVersion,
		lastError, server.CreatedAt.UnixMicro(), server.UpdatedAt.UnixMicro(), signIn, server.Source, server.Approved,
		roots, server.LogLevel, dated,
	}, nil
}

type scanner interface{ Scan(into ...any) error }

func scanServer(row scanner) (Server, error) {
	var server Server
	var headers, args, env, signIn, roots string
	var lastError *string
	var created, updated int64
	err := row.Scan(&server.ID, &server.Name, &server.Transport, &server.URL, &headers, &server.Command, &args, &env,
		&server.Cwd, &server.Era, &server.Retry.MaxAttempts, &server.Retry.BaseDelay, &server.Retry.MaxDelay,
		&server.Timeouts.Connect, &server.Timeouts.Discovery, &server.Timeouts.CallIdle, &server.Timeouts.CallTotal,
		&server.Enabled, &server.TrustLocalNetwork, &server.ClientID,
		&server.Learned.Transport, &server.Learned.Era, &server.Learned.ProtocolVersion, &lastError, &created, &updated,
		&signIn, &server.Source, &server.Approved, &roots, &server.LogLevel)
	if err != nil {
		return Server{}, err
	}
	for _, column := range []struct {
		text string
		into any
	}{{headers, &server.Headers}, {args, &server.Args}, {env, &server.Env}, {signIn, &server.SignIn}, {roots, &server.Roots}} {
		if err := fromJSON(column.text, column.into); err != nil {
			return Server{}, err
		}
	}
	if server.LastError, err = failureOf(lastError); err != nil {
		return Server{}, err
	}
	if len(server.Roots) == 0 {
		server.Roots = nil
	}
	server.CreatedAt, server.UpdatedAt = toTime(created), toTime(updated)
	return server, nil
}

// SetLearned stores what a successful connection taught. It returns ErrNotFound for a server that is not stored.
func (s *Store) SetLearned(ctx context.Context, id string, learned Learned) error {
	return s.change(ctx, "storing what server "+id+" taught",
		`UPDATE servers SET learned_transport = ?, learned_era = ?, learned_version = ? WHERE id = ?`,
		learned.Transport, learned.Era, learned.ProtocolVersion, id)
}

// SetLastError stores the last error, or none. It returns ErrNotFound for a server that is not stored.
func (s *Store) SetLastError(ctx context.Context, id string, failure *Failure) error {
	text, err := nullable(failure)
	if err != nil {
		return err
	}
	return s.change(ctx, "storing the last error of server "+id,
		`UPDATE servers SET last_error = ? WHERE id = ?`, text, id)
}

// DeleteServer deletes a server with its history, its secrets, its grant and what is registered for it alone, or returns ErrNotFound.
func (s *Store) DeleteServer(ctx context.Context, id string) error {
	doing := "deleting server " + id
	files, err := s.keptFiles(ctx, `server_id = ?`, id)
	if err != nil {
		return s.fail(err, "%s", doing)
	}
	if err := s.change(ctx, doing, `DELETE FROM servers WHERE id = ?`, id); err != nil {
		return err
	}
	err = s.sealed(ctx, false, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM oauth_registrations WHERE server_id = ?`, id); err != nil {
			return err
		}
		return s.vault.DeleteServer(ctx, tx, id)
	})
	if err != nil {
		return s.fail(err, "%s", doing)
	}
	return s.removeResults(files)
}

// change runs a statement that must touch one row.
func (s *Store) change(ctx context.Context, doing, statement string, args ...any) error {
	result, err := s.db.Write.ExecContext(ctx, statement, args...)
	if err != nil {
		return s.fail(err, "%s", doing)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return s.fail(err, "%s", doing)
	}
	if n == 0 {
		return s.fail(ErrNotFound, "%s", doing)
	}
	return nil
}
