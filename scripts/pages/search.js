// SPDX-License-Identifier: Apache-2.0
// Search of pages that are opened from disk, where a browser lets them neither start workers nor fetch files: the index
// comes as a script, and the worker's script runs in a frame of its own.
if (location.protocol === "file:") {
  const index = new URL("../search/search_index.js", document.currentScript.src);
  document.write(`<script src="${index}"></` + "script>");

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];  // messages, until the script is there
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(url, location);
      script.onload = () => {
        for (const data of this.waiting) this.deliver(data);
        this.waiting = null;
      };
      frame.contentDocument.body.append(script);
    }
    deliver(data) {
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.deliver(data);
    }
    terminate() {}
  };
}
