package appearance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	portalName      = "org.freedesktop.portal.Desktop"
	portalPath      = "/org/freedesktop/portal/desktop"
	portalSettings  = "org.freedesktop.portal.Settings"
	appearanceSpace = "org.freedesktop.appearance"
	colourScheme    = "color-scheme"
	// portalPatience is short: a window must not wait for a portal that hangs.
	portalPatience = 300 * time.Millisecond
)

// connect opens the session bus of its own, only where one runs: the library would start one otherwise.
func connect() (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" {
		socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
		if _, err := os.Stat(socket); err != nil {
			return nil, err
		}
		address = "unix:path=" + socket
	}
	connection, err := dbus.Dial(address)
	if err != nil {
		return nil, err
	}
	if err := connection.Auth(nil); err != nil {
		_ = connection.Close() // it is not used
		return nil, err
	}
	if err := connection.Hello(); err != nil {
		_ = connection.Close() // it is not used
		return nil, err
	}
	return connection, nil
}

// readSystem asks the portal. Without bus, portal or answer the preference is unknown, which is no error: many desktops have
// none. GTK_THEME, which GTK itself obeys, comes first.
func readSystem(ctx context.Context) scheme {
	if theme, set := os.LookupEnv("GTK_THEME"); set {
		if strings.HasSuffix(theme, ":dark") || strings.HasSuffix(theme, "-dark") {
			return dark
		}
		return unknown
	}
	ctx, cancel := context.WithTimeout(ctx, portalPatience)
	defer cancel()
	found := make(chan scheme, 1)
	go func() { // a bus that accepts and says nothing holds this back until it ends, not the window
		connection, err := connect()
		if err != nil {
			found <- unknown
			return
		}
		defer connection.Close()
		var value dbus.Variant
		call := connection.Object(portalName, portalPath).CallWithContext(ctx, portalSettings+".Read", 0, appearanceSpace, colourScheme)
		if call.Store(&value) != nil {
			found <- unknown
			return
		}
		found <- schemeOf(value)
	}()
	select {
	case system := <-found:
		return system
	case <-ctx.Done():
		return unknown
	}
}

// schemeOf reads 0, 1 or 2, which Read wraps once more than the signal does.
func schemeOf(value dbus.Variant) scheme {
	for {
		switch inner := value.Value().(type) {
		case dbus.Variant:
			value = inner
			continue
		case uint32:
			switch inner {
			case 1:
				return dark
			case 2, 0: // 0 is "no preference"
				return light
			}
		}
		return unknown
	}
}

func watchSystem(ctx context.Context, changed func(scheme)) {
	connection, err := connect()
	if err != nil {
		return // nothing will tell
	}
	defer connection.Close()
	err = connection.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(portalPath), dbus.WithMatchInterface(portalSettings),
		dbus.WithMatchMember("SettingChanged"), dbus.WithMatchArg(0, appearanceSpace))
	if err != nil {
		return
	}
	signals := make(chan *dbus.Signal, 8)
	connection.Signal(signals)
	for {
		select {
		case signal, ok := <-signals:
			if !ok {
				return
			}
			var space, key string
			var value dbus.Variant
			if dbus.Store(signal.Body, &space, &key, &value) == nil && space == appearanceSpace && key == colourScheme {
				changed(schemeOf(value))
			}
		case <-ctx.Done():
			return
		}
	}
}
