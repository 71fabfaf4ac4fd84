package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"jackfield/app/api"
)

// keeper is what the surface needs of the store.
type keeper interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

const (
	settingsKey  = "desktop.settings"
	placementKey = "desktop.window"
)

var defaults = api.Settings{Theme: "system", AskWindow: "window", Density: "compact"}

// valid replaces what it does not know by the default, so that a newer program's value breaks nothing.
func valid(s api.Settings) api.Settings {
	if !slices.Contains([]string{"system", "light", "dark"}, s.Theme) {
		s.Theme = defaults.Theme
	}
	if !slices.Contains([]string{"window", "inline", "quiet"}, s.AskWindow) {
		s.AskWindow = defaults.AskWindow
	}
	if !slices.Contains([]string{"compact", "comfortable"}, s.Density) {
		s.Density = defaults.Density
	}
	return s
}

func loadSettings(ctx context.Context, k keeper) (api.Settings, error) {
	var settings api.Settings
	if err := load(ctx, k, settingsKey, &settings); err != nil {
		return api.Settings{}, err
	}
	return valid(settings), nil
}

func saveSettings(ctx context.Context, k keeper, settings api.Settings) (api.Settings, error) {
	settings = valid(settings)
	return settings, save(ctx, k, settingsKey, settings)
}

// load leaves value alone when nothing is stored.
func load(ctx context.Context, k keeper, key string, value any) error {
	text, ok, err := k.Setting(ctx, key)
	if err != nil || !ok {
		return err
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return fmt.Errorf("reading the setting %s: %w", key, err)
	}
	return nil
}

func save(ctx context.Context, k keeper, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing the setting %s: %w", key, err)
	}
	return k.SetSetting(ctx, key, string(text))
}
