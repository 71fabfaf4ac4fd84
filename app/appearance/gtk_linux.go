//go:build linux && production

package appearance

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>

static gboolean set_dark(gpointer dark) {
	GtkSettings *settings = gtk_settings_get_default();
	if (settings != NULL) g_object_set(settings, "gtk-application-prefer-dark-theme", GPOINTER_TO_INT(dark) ? TRUE : FALSE, NULL);
	return G_SOURCE_REMOVE;
}

static void set_dark_soon(int dark) { g_idle_add_full(G_PRIORITY_HIGH, set_dark, GINT_TO_POINTER(dark), NULL); }
*/
import "C"

// applyDark tells GTK, and through it the page's prefers-color-scheme.
func applyDark(dark bool) {
	if dark {
		C.set_dark_soon(1)
	} else {
		C.set_dark_soon(0)
	}
}
