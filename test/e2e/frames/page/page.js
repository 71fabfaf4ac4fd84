// A call of Go as Wails puts it on the wire.
const call = (who) =>
  `window.webkit.messageHandlers.external.postMessage('C' + JSON.stringify({ name: "main.Probe.Touch", args: ["${who}"], callbackID: "x" }))`;
const inline = (who) => `<script>${call(who)}</` + `script>`;

function frame(attributes) {
  const element = document.createElement("iframe");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.body.append(element);
  return element;
}

window.addEventListener("load", () => {
  frame({ srcdoc: inline("srcdoc") });
  frame({ srcdoc: inline("sandboxed srcdoc"), sandbox: "allow-scripts" });
  frame({ srcdoc: `<script src="wails://wails/frame.js"></` + `script>` });
  frame({ src: "/frame.html" });
  frame({ src: "/frame.html?sandboxed", sandbox: "allow-scripts" });
  frame({ src: URL.createObjectURL(new Blob([inline("blob")], { type: "text/html" })) });
  frame({ src: "data:text/html," + encodeURIComponent(inline("data")) });
  frame({ src: "javascript:" + encodeURIComponent(call("javascript")) });
  // One that hides the first answer to it from a guard that only closes one frame.
  frame({
    srcdoc: `<script>const inner = document.createElement("iframe"); inner.srcdoc = ${JSON.stringify(inline("nested")).replaceAll("</", "<\\/")}; document.documentElement.append(inner)</` + `script>`,
    sandbox: "allow-scripts",
  });
  const script = document.createElement("script");
  script.src = "/trace/1";
  document.body.append(script);
  const object = document.createElement("object");
  object.type = "text/html";
  object.data = "/frame.html?object";
  document.body.append(object);

  setTimeout(async () => {
    await window.go.main.Probe.Touch("page");
    await window.go.main.Probe.Done();
  }, 4000);
});
