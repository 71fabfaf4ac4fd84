package mcp

import "slices"

// Filter selects servers. A list that is nil selects all of them, an empty one none; what the lists select is ANDed. Several servers
// may have the same name.
type Filter struct {
	IDs    []string
	Names  []string
	States []State
}

// Offer is one item of the catalog of a server.
type Offer[T any] struct {
	ServerID string
	Item     T
}

// matches decides whether a filter selects a server.
func (f Filter) matches(id, name string, state State) bool {
	return among(f.IDs, id) && among(f.Names, name) && among(f.States, state)
}

func among[T comparable](list []T, value T) bool {
	return list == nil || slices.Contains(list, value)
}

// selectLocked returns the servers that a filter selects, in the order of Snapshot.
func (m *Manager) selectLocked(f Filter) []*conn {
	return slices.DeleteFunc(m.sortedLocked(), func(c *conn) bool {
		return !f.matches(c.id, c.server.Name, c.factsLocked().state())
	})
}

// Servers returns the rows of the selected servers. What matches nothing is an empty list and no error.
func (m *Manager) Servers(f Filter) []Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	rows := []Status{}
	for _, c := range m.selectLocked(f) {
		rows = append(rows, c.statusLocked(now))
	}
	return rows
}

// Tools returns what the selected servers offer, as their catalogs are now, also where the connection is gone meanwhile. Prompts, Resources
// and Templates do the same.
func (m *Manager) Tools(f Filter) []Offer[Tool] {
	return offersOf(m, f, func(c Catalog) []Tool { return c.Tools })
}

func (m *Manager) Prompts(f Filter) []Offer[Prompt] {
	return offersOf(m, f, func(c Catalog) []Prompt { return c.Prompts })
}

func (m *Manager) Resources(f Filter) []Offer[Resource] {
	return offersOf(m, f, func(c Catalog) []Resource { return c.Resources })
}

func (m *Manager) Templates(f Filter) []Offer[ResourceTemplate] {
	return offersOf(m, f, func(c Catalog) []ResourceTemplate { return c.Templates })
}

func offersOf[T any](m *Manager, f Filter, items func(Catalog) []T) []Offer[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	offers := []Offer[T]{}
	for _, c := range m.selectLocked(f) {
		for _, item := range items(c.catalog) {
			offers = append(offers, Offer[T]{c.id, item})
		}
	}
	return offers
}
