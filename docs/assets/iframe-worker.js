/* Search without a server. Browsers refuse to start a Worker from a file: page, so the script of the worker runs in a hidden
   frame instead, which has a worker's postMessage and importScripts. Pages that a server delivers keep the browser's Worker. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      this.scope = this.frame.contentWindow;
      this.scope.postMessage = (data) => this.answer(new MessageEvent("message", { data }));
      this.scope.importScripts = (...urls) => Promise.all(urls.map((one) => this.load(one)));
      this.ready = this.load(url).catch(() => this.answer(new ErrorEvent("error", { message: `${url} was not loaded` })));
    }
    answer(event) {
      this.dispatchEvent(event);
      if (this[`on${event.type}`]) this[`on${event.type}`](event);
    }
    load(url) {
      return new Promise((loaded, failed) => {
        const script = this.scope.document.createElement("script");
        script.onload = loaded;
        script.onerror = failed;
        script.src = new URL(url, location.href).href;
        this.scope.document.body.appendChild(script);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
/* An option is a search for its words: `--stall-limit` looks for pages with "stall" and "limit". The search itself would take the
   dashes for "without this word". */
const send = window.Worker.prototype.postMessage;
window.Worker.prototype.postMessage = function (message, ...rest) {
  if (typeof message?.data === "string") {
    const required = (name) => name.split("-").filter(Boolean).map((word) => `+${word}`).join(" ");
    message = { ...message, data: message.data.replace(/(^|\s)--?([A-Za-z][\w-]*)/g, (_, gap, name) => gap + required(name)) };
  }
  return send.call(this, message, ...rest);
};
