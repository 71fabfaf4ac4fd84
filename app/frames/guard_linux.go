//go:build linux && production

package frames

/*
#cgo webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.1
#cgo !webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.0
#include <webkit2/webkit2.h>

// Runs at the start of every document in every frame, before any script of the page. Hiding window.webkit would not do: it can
// not be redefined, and a nested frame gets a new one. The prototype of the handler is per frame and can be closed for good.
static const char *take_away =
	"(() => {"
	"  if (window === window.top) return;"
	"  const handlers = window.webkit && window.webkit.messageHandlers;"
	"  const handler = handlers && handlers.external;"
	"  if (!handler) return;"
	"  Object.defineProperty(Object.getPrototypeOf(handler), 'postMessage',"
	"    { value: undefined, writable: false, configurable: false });"
	"})();";

static void guard_below(GtkWidget *widget, gpointer unused) {
	if (WEBKIT_IS_WEB_VIEW(widget)) {
		WebKitUserContentManager *manager = webkit_web_view_get_user_content_manager(WEBKIT_WEB_VIEW(widget));
		WebKitUserScript *script = webkit_user_script_new(take_away, WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES,
			WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
		webkit_user_content_manager_add_script(manager, script);
		webkit_user_script_unref(script);
	} else if (GTK_IS_CONTAINER(widget)) {
		gtk_container_forall(GTK_CONTAINER(widget), guard_below, NULL);
	}
}

static gboolean guard_all(gpointer unused) {
	GList *windows = gtk_window_list_toplevels();
	for (GList *at = windows; at != NULL; at = at->next) guard_below(GTK_WIDGET(at->data), NULL);
	g_list_free(windows);
	return G_SOURCE_REMOVE;
}

// Before anything else that waits on the main loop, so also before the page's first script.
static void guard_soon(void) { g_idle_add_full(G_PRIORITY_HIGH, guard_all, NULL, NULL); }
*/
import "C"

// Guard takes the message handler away from all frames of all windows but the page itself. Call it from OnStartup.
func Guard() { C.guard_soon() }
