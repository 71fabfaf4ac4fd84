package mcp

import "time"

// TroubleKind names a part of this program that works in the background.
type TroubleKind string

const (
	TroubleHistory   TroubleKind = "history"   // calls and states are not stored
	TroubleRetention TroubleKind = "retention" // old calls are not deleted
	TroubleTrace     TroubleKind = "trace"     // large messages do not go to the disk
)

// Trouble is something that goes wrong in the background, where nobody waits for an answer that could tell. It stays until it works again.
type Trouble struct {
	Kind    TroubleKind
	Message string // "" when it is over
	Hint    string
	Since   time.Time
	Count   int // how often it went wrong since
}

// Trouble says that a part of the background failed, or with nil that it works.
func (m *Manager) Trouble(kind TroubleKind, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row, known := m.trouble[kind]
	if err == nil {
		if known {
			delete(m.trouble, kind)
			m.emit(Event{Type: EventTrouble, Trouble: &Trouble{Kind: kind, Since: row.Since, Count: row.Count}})
		}
		return
	}
	if !known {
		row = Trouble{Kind: kind, Since: m.clock.Now()}
	}
	row.Count++
	row.Message, row.Hint = wordsOfTrouble(kind, err)
	m.trouble[kind] = row
	m.emit(Event{Type: EventTrouble, Trouble: &row})
}

func wordsOfTrouble(kind TroubleKind, err error) (message, hint string) {
	const disk = "Check that the disk is not full and that the data directory can be written."
	switch kind {
	case TroubleHistory:
		return "Calls and states are not being stored: " + trimError(err), disk + " What happens now is lost when the program ends."
	case TroubleRetention:
		return "Old calls could not be deleted: " + trimError(err), disk
	case TroubleTrace:
	}
	return "Large messages of the activity stay in memory: " + trimError(err), disk
}
