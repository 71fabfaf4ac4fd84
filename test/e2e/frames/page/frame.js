const name = location.protocol === "about:" ? "srcdoc with a file" : `file ${location.search}`;
window.webkit.messageHandlers.external.postMessage(
  "C" + JSON.stringify({ name: "main.Probe.Touch", args: [name], callbackID: "x" }),
);
