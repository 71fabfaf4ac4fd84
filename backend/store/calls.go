package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// pageSize of Calls without a limit.
const pageSize = 100

// Where the raw result of a call is.
const (
	keptNowhere = "no"
	keptInRow   = "row"
	keptInFile  = "file" // over resultCap
)

const callColumns = `id, server_id, kind, name, arguments, outcome, started_at, duration, size, result_kept, failure, asks`

// readColumns are what scanCall takes.
const readColumns = callColumns + `, EXISTS (SELECT 1 FROM pins WHERE call_id = calls.id)`

// PutCalls inserts or replaces calls, all in one transaction. A result over 1 MiB goes to a file beside the data file. Size is the
// length of Result where there is one. A call that cannot be stored keeps no other from it: the error names each, and is ErrNotFound
// for one whose server is not stored, as when that was deleted meanwhile.
func (s *Store) PutCalls(ctx context.Context, calls ...Call) error {
	var refused []error
	rows := make([]storedCall, 0, len(calls))
	for _, call := range calls {
		row, err := callRow(call, s.run.id)
		if err == nil && row.kept == keptInFile {
			// Before the row, so that a row never names a file that is not there.
			err = s.writeResult(call.ID, call.Result)
		}
		if err != nil {
			refused = append(refused, fmt.Errorf("storing call %q: %w", call.ID, err))
			continue
		}
		row.id, row.serverID = call.ID, call.ServerID
		rows = append(rows, row)
	}
	orphans, err := s.insertCalls(ctx, rows)
	if err != nil {
		return errors.Join(append(refused, s.fail(err, "storing %d calls", len(rows)))...)
	}
	for _, row := range orphans {
		refused = append(refused, s.fail(ErrNotFound, "storing call %q of server %q", row.id, row.serverID))
		if row.kept == keptInFile {
			refused = append(refused, s.removeResults([]string{row.id}))
		}
	}
	return errors.Join(refused...)
}

// insertCalls returns the calls whose server is not stored.
func (s *Store) insertCalls(ctx context.Context, rows []storedCall) (orphans []storedCall, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	tx, err := s.db.Write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // after a commit it does nothing
	insert, err := tx.PrepareContext(ctx, putCall)
	if err != nil {
		return nil, err
	}
	defer insert.Close()
	for _, row := range rows {
		result, err := insert.ExecContext(ctx, row.args...)
		if err != nil {
			return nil, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			orphans = append(orphans, row)
		}
	}
	return orphans, tx.Commit()
}

// putCall inserts from a SELECT so that a missing server inserts nothing, which a caller can tell from other failures;
// a violated foreign key could only be told by the text of the error.
const putCall = `INSERT INTO calls (` + callColumns + `, result, run_id)
	SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
	WHERE EXISTS (SELECT 1 FROM servers WHERE id = ?2)
	ON CONFLICT (id) DO UPDATE SET server_id = excluded.server_id, kind = excluded.kind, name = excluded.name,
	arguments = excluded.arguments, outcome = excluded.outcome, started_at = excluded.started_at,
	duration = excluded.duration, size = excluded.size, result_kept = excluded.result_kept,
	failure = excluded.failure, asks = excluded.asks, result = excluded.result, run_id = excluded.run_id`

// storedCall is a call as the parameters of putCall.
type storedCall struct {
	id, serverID string
	kept         string
	args         []any
}

func callRow(call Call, runID string) (storedCall, error) {
	if err := validID(call.ID); err != nil {
		return storedCall{}, err
	}
	if err := validText(call.Name); err != nil {
		return storedCall{}, err
	}
	failure, err := nullable(call.Failure)
	if err != nil {
		return storedCall{}, err
	}
	asks, err := toJSON(call.Asks)
	if err != nil {
		return storedCall{}, err
	}
	kept, size := keptNowhere, call.Size
	var result *string
	switch {
	case call.Result == nil:
	case len(call.Result) > resultCap:
		kept = keptInFile
	default:
		kept, result = keptInRow, rawText(call.Result)
	}
	if call.Result != nil {
		size = len(call.Result)
	}
	return storedCall{kept: kept, args: []any{
		call.ID, call.ServerID, call.Kind, call.Name, rawText(call.Arguments), call.Outcome,
		call.StartedAt.UnixMicro(), int64(call.Duration), size, kept, failure, asks, result, runID,
	}}, nil
}

// rawText keeps JSON as it is: parsing it would round its numbers.
func rawText(raw json.RawMessage) *string {
	if raw == nil {
		return nil
	}
	text := string(raw)
	return &text
}

// Call returns one call with its result, or ErrNotFound. Result is nil with Size kept if its file is gone.
func (s *Store) Call(ctx context.Context, id string) (Call, error) {
	var result *string
	call, kept, err := scanCall(s.db.Read.QueryRowContext(ctx,
		`SELECT `+readColumns+`, result FROM calls WHERE id = ?`, id), &result)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Call{}, s.fail(err, "reading call %q", id)
	}
	switch {
	case kept == keptInFile:
		call.Result, err = s.readResult(id, call.Size)
	case result != nil:
		call.Result = json.RawMessage(*result)
	}
	return call, err
}

// Calls returns a page of the history, newest first, without the results: a page of them could be 100 MB that nobody
// looks at. Size says how large each is; Call returns it. It returns ErrNotFound if the call that Before names is gone.
func (s *Store) Calls(ctx context.Context, filter CallFilter) (_ []Call, err error) {
	var before int64
	if filter.Before != "" {
		err := s.db.Read.QueryRowContext(ctx, `SELECT started_at FROM calls WHERE id = ?`, filter.Before).Scan(&before)
		if errors.Is(err, sql.ErrNoRows) {
			err = ErrNotFound
		}
		if err != nil {
			return nil, s.fail(err, "reading the history before call %q", filter.Before)
		}
	}
	where, args := filter.where(before)
	limit := filter.Limit
	if limit <= 0 {
		limit = pageSize
	}
	rows, err := s.db.Read.QueryContext(ctx,
		`SELECT `+readColumns+` FROM calls `+where+` ORDER BY started_at DESC, id DESC LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, s.fail(err, "reading the history")
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	calls := []Call{}
	for rows.Next() {
		call, _, err := scanCall(rows)
		if err != nil {
			return nil, s.fail(err, "reading the history")
		}
		calls = append(calls, call)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fail(err, "reading the history")
	}
	return calls, nil
}

// where returns the WHERE clause and its parameters; before is when the call named by Before began.
//
// Text is looked for by walking the rows from the newest, along the index that the order needs anyway, until the page is
// full. A full-text index would answer rare words faster, but it finds words and not parts of an identifier (or, by
// trigrams, nothing under three characters), triples the size of the file and is paid for at every call. instr rather
// than LIKE: no pattern characters to escape and no limit on the length. Letters match in either case only in ASCII.
func (f CallFilter) where(before int64) (string, []any) {
	var conditions []string
	var args []any
	add := func(condition string, values ...any) {
		conditions = append(conditions, condition)
		args = append(args, values...)
	}
	if f.ServerID != "" {
		add(`server_id = ?`, f.ServerID)
	}
	if f.Kind != "" {
		add(`kind = ?`, f.Kind)
	}
	if f.Name != "" {
		add(`name = ?`, f.Name)
	}
	if f.Pinned {
		add(`id IN (SELECT call_id FROM pins)`)
	}
	if f.Before != "" {
		add(`(started_at, id) < (?, ?)`, before, f.Before)
	}
	if f.Text != "" {
		terms := []string{`instr(lower(name), lower(?)) > 0`}
		args = append(args, f.Text)
		for _, spelling := range spellings(f.Text) {
			terms = append(terms, `instr(lower(arguments), lower(?)) > 0`, `instr(lower(result), lower(?)) > 0`)
			args = append(args, spelling, spelling)
		}
		conditions = append(conditions, `(`+strings.Join(terms, " OR ")+`)`)
	}
	if len(conditions) == 0 {
		return "", nil
	}
	return `WHERE ` + strings.Join(conditions, " AND "), args
}

// spellings returns how a text may stand in JSON: as it is (a person may search for the JSON itself), with the escapes
// that JSON demands, with those that HTML-minded encoders add, and in pure ASCII as many encoders write.
func spellings(text string) []string {
	out := []string{text}
	add := func(spelling string) {
		for _, known := range out {
			if known == spelling {
				return
			}
		}
		out = append(out, spelling)
	}
	add(escape(text, func(r rune) bool { return false }))
	add(escape(text, func(r rune) bool { return r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029' }))
	add(escape(text, func(r rune) bool { return r > 0x7e }))
	return out
}

func escape(text string, also func(rune) bool) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || also(r):
			units := utf16.AppendRune(nil, r)
			for _, unit := range units {
				b.WriteString(`\u` + hex4(unit))
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hex4(unit uint16) string {
	digits := strconv.FormatUint(uint64(unit), 16)
	return strings.Repeat("0", 4-len(digits)) + digits
}

// scanCall scans readColumns, and what else the query selects into the rest.
func scanCall(row scanner, rest ...any) (call Call, kept string, err error) {
	var arguments, failure *string
	var asks string
	var started, duration int64
	into := append([]any{
		&call.ID, &call.ServerID, &call.Kind, &call.Name, &arguments, &call.Outcome, &started, &duration,
		&call.Size, &kept, &failure, &asks, &call.Pinned,
	}, rest...)
	if err := row.Scan(into...); err != nil {
		return Call{}, "", err
	}
	if arguments != nil {
		call.Arguments = json.RawMessage(*arguments)
	}
	call.StartedAt, call.Duration = toTime(started), time.Duration(duration)
	if call.Failure, err = failureOf(failure); err != nil {
		return Call{}, "", err
	}
	return call, kept, fromJSON(asks, &call.Asks)
}
