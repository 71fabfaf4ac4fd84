package store

import (
	"context"
	"database/sql"
	"errors"

	"jackfield/backend/store/vault"
)

func registrationID(r Registration) vault.ID {
	return vault.ID{Kind: kindRegistration, ServerID: r.ServerID, Issuer: r.Issuer, Ref: string(r.Redirect)}
}

// Registrations returns what is registered at an issuer for a server: its own first, then those of every server. One whose secret was not
// kept is left out: without it, it is of no use.
func (s *Store) Registrations(ctx context.Context, issuer, serverID string) (_ []Registration, err error) {
	const doing = "reading the registrations at an authorization server"
	found, err := s.registrations(ctx, issuer, serverID)
	if err != nil {
		return nil, s.fail(err, doing)
	}
	usable := found[:0]
	for _, row := range found {
		if row.hasSecret {
			row.ClientSecret, err = s.vault.Get(ctx, registrationID(row.Registration))
			if errors.Is(err, vault.ErrNoSecret) {
				continue
			}
			if err != nil {
				return nil, s.fail(err, doing)
			}
		}
		usable = append(usable, row)
	}
	out := make([]Registration, len(usable))
	for i, row := range usable {
		out[i] = row.Registration
	}
	return out, nil
}

type registrationRow struct {
	Registration
	hasSecret bool
}

func (s *Store) registrations(ctx context.Context, issuer, serverID string) (_ []registrationRow, err error) {
	rows, err := s.db.Read.QueryContext(ctx, `SELECT issuer, redirect, server_id, redirect_uri, client_id, auth_method, has_secret,
		secret_expires_at, source, created_at FROM oauth_registrations WHERE issuer = ? AND server_id IN ('', ?)
		ORDER BY server_id DESC, created_at DESC`, issuer, serverID)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var out []registrationRow
	for rows.Next() {
		var row registrationRow
		var expires *int64
		var created int64
		if err := rows.Scan(&row.Issuer, &row.Redirect, &row.ServerID, &row.RedirectURI, &row.ClientID, &row.AuthMethod, &row.hasSecret,
			&expires, &row.Source, &created); err != nil {
			return nil, err
		}
		row.SecretExpiresAt, row.CreatedAt = optionalTime(expires), toTime(created)
		out = append(out, row)
	}
	return out, rows.Err()
}

// PutRegistration inserts or replaces the registration for its issuer, kind of redirect and server.
func (s *Store) PutRegistration(ctx context.Context, r Registration) error {
	if err := validText(r.Issuer, r.ServerID, r.RedirectURI, r.ClientID, r.AuthMethod); err != nil {
		return s.fail(err, "storing a registration")
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = s.now()
	}
	err := s.sealed(ctx, !r.ClientSecret.IsZero(), func(tx *sql.Tx) error {
		if err := execute(ctx, tx, `INSERT OR REPLACE INTO oauth_registrations (issuer, redirect, server_id, redirect_uri, client_id, auth_method,
			has_secret, secret_expires_at, source, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.Issuer, r.Redirect, r.ServerID, r.RedirectURI, r.ClientID, r.AuthMethod,
			!r.ClientSecret.IsZero(), microsOf(r.SecretExpiresAt), r.Source, r.CreatedAt.UnixMicro()); err != nil {
			return err
		}
		if r.ClientSecret.IsZero() {
			return s.vault.Delete(ctx, tx, registrationID(r))
		}
		return s.vault.Put(ctx, tx, registrationID(r), r.ClientSecret)
	})
	if err != nil {
		return s.fail(err, "storing a registration")
	}
	return nil
}

// DeleteRegistration deletes it, if it is there. One that another process has put in its place meanwhile, with another client ID, stays.
func (s *Store) DeleteRegistration(ctx context.Context, r Registration) error {
	err := s.sealed(ctx, false, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM oauth_registrations WHERE issuer = ? AND redirect = ? AND server_id = ? AND client_id = ?`,
			r.Issuer, r.Redirect, r.ServerID, r.ClientID)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return s.vault.Delete(ctx, tx, registrationID(r))
	})
	if err != nil {
		return s.fail(err, "deleting a registration")
	}
	return nil
}

// IssuerNote returns what is known of an issuer; a row with only the issuer if nothing is.
func (s *Store) IssuerNote(ctx context.Context, issuer string) (IssuerNote, error) {
	note := IssuerNote{Issuer: issuer}
	var refused string
	err := s.db.Read.QueryRowContext(ctx, `SELECT redirect, refused, refresh_without_resource FROM oauth_issuers WHERE issuer = ?`, issuer).
		Scan(&note.Redirect, &refused, &note.RefreshWithoutResource)
	if errors.Is(err, sql.ErrNoRows) {
		return note, nil
	}
	if err == nil {
		err = fromJSON(refused, &note.Refused)
	}
	if err != nil {
		return note, s.fail(err, "reading what is known of an authorization server")
	}
	return note, nil
}

// PutIssuerNote stores it.
func (s *Store) PutIssuerNote(ctx context.Context, note IssuerNote) error {
	refused, err := toJSON(note.Refused)
	if err == nil {
		err = execute(ctx, s.db.Write, `INSERT OR REPLACE INTO oauth_issuers (issuer, redirect, refused, refresh_without_resource) VALUES (?, ?, ?, ?)`,
			note.Issuer, note.Redirect, refused, note.RefreshWithoutResource)
	}
	if err != nil {
		return s.fail(err, "storing what is known of an authorization server")
	}
	return nil
}
