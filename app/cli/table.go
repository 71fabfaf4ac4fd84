package cli

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// table prints rows with aligned columns. Cells are text of servers: they are escaped here.
type table struct {
	rows [][]cell
}

type cell struct {
	text  string
	style style
}

func (t *table) row(cells ...cell) { t.rows = append(t.rows, cells) }

func plain(text string) cell { return cell{text: text} }
func dim(text string) cell   { return cell{text: text, style: styleDim} }

// write prints the table. With a width the last column is shortened to fit; 0 means no limit.
func (t *table) write(w io.Writer, paint painter, width int) error {
	const gap = 2
	var widths []int
	for _, row := range t.rows {
		for i := range row {
			row[i].text = visible(row[i].text, false)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(row[i].text))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		at := 0
		for i, c := range row {
			if i == len(row)-1 {
				if width > 0 {
					c.text = shorten(c.text, max(width-at-1, 20))
				}
				b.WriteString(paint(c.style, c.text))
				break
			}
			b.WriteString(paint(c.style, c.text))
			b.WriteString(strings.Repeat(" ", widths[i]-uniseg.StringWidth(c.text)+gap))
			at += widths[i] + gap
		}
		b.WriteByte('\n')
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

// shorten cuts a text to a number of terminal cells.
func shorten(text string, width int) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	var b strings.Builder
	used := 0
	for clusters := uniseg.NewGraphemes(text); clusters.Next(); {
		if used += clusters.Width(); used > width-1 {
			break
		}
		b.WriteString(clusters.Str())
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// firstLine is what a list shows of a longer text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
