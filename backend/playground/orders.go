package playground

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	orderPrefix   = "playground://orders/"
	orderTemplate = orderPrefix + "{id}"
)

type orderInput struct {
	Items []struct {
		Quantity  float64 `json:"quantity"`
		UnitPrice float64 `json:"unit_price"`
	} `json:"items"`
}

// orderView is an order as it is returned and read.
type orderView struct {
	ID        string          `json:"id"`
	URI       string          `json:"uri"`
	CreatedAt string          `json:"createdAt"`
	ItemCount int             `json:"itemCount"`
	Total     float64         `json:"total"`
	Order     json.RawMessage `json:"order"`
}

func (p *Playground) createOrder(ctx context.Context, request *mcp.CallToolRequest, in orderInput) (*mcp.CallToolResult, error) {
	now := time.Now().UTC()
	var cents int64
	for _, item := range in.Items {
		cents += int64(math.Round(item.UnitPrice*100)) * int64(item.Quantity)
	}
	row, err := p.db.Write.ExecContext(ctx, `INSERT INTO orders (document, total, created_at) VALUES (?, ?, ?)`,
		string(request.Params.Arguments), cents, now.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("storing the order: %w", p.db.Explain(err))
	}
	id, err := row.LastInsertId()
	if err != nil {
		return nil, fmt.Errorf("storing the order: %w", err)
	}
	view, err := viewOrder(id, request.Params.Arguments, cents, now)
	if err != nil {
		return nil, err
	}
	return structured(view,
		&mcp.TextContent{Text: fmt.Sprintf("Order %s is stored: %d items, %.2f euros in all.", view.ID, view.ItemCount, view.Total)},
		&mcp.ResourceLink{URI: view.URI, Name: "order " + view.ID, Title: "Order " + view.ID, MIMEType: "application/json"})
}

func viewOrder(id int64, document json.RawMessage, cents int64, created time.Time) (orderView, error) {
	var in orderInput
	if err := json.Unmarshal(document, &in); err != nil {
		return orderView{}, fmt.Errorf("decoding order %d: %w", id, err)
	}
	count := 0
	for _, item := range in.Items {
		count += int(item.Quantity)
	}
	text := strconv.FormatInt(id, 10)
	return orderView{
		ID: text, URI: orderPrefix + text, CreatedAt: created.Format(time.RFC3339), ItemCount: count,
		Total: float64(cents) / 100, Order: document,
	}, nil
}

func (p *Playground) readOrder(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := request.Params.URI
	id, err := strconv.ParseInt(strings.TrimPrefix(uri, orderPrefix), 10, 64)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	var document string
	var cents, created int64
	err = p.db.Read.QueryRowContext(ctx, `SELECT document, total, created_at FROM orders WHERE id = ?`, id).
		Scan(&document, &cents, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, fmt.Errorf("reading order %d: %w", id, p.db.Explain(err))
	}
	view, err := viewOrder(id, json.RawMessage(document), cents, time.UnixMicro(created).UTC())
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(view, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding order %d: %w", id, err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: uri, MIMEType: "application/json", Text: string(text),
	}}}, nil
}

// orderIDs returns the ids that begin with prefix, newest first, at most limit, and how many there are.
func (p *Playground) orderIDs(ctx context.Context, prefix string, limit int) (ids []string, total int, err error) {
	const matching = ` FROM orders WHERE substr(CAST(id AS TEXT), 1, length(?1)) = ?1`
	if err := p.db.Read.QueryRowContext(ctx, `SELECT count(*)`+matching, prefix).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("listing the orders: %w", p.db.Explain(err))
	}
	rows, err := p.db.Read.QueryContext(ctx, `SELECT CAST(id AS TEXT)`+matching+` ORDER BY id DESC LIMIT ?2`, prefix, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("listing the orders: %w", p.db.Explain(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	ids = []string{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, 0, fmt.Errorf("listing the orders: %w", p.db.Explain(err))
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, fmt.Errorf("listing the orders: %w", p.db.Explain(err))
	}
	return ids, total, nil
}
