"use strict";
// Keeps form and JSON of args in step, watches a call, and gives keys to what is used most. Without it the pages work
// too: each form can be sent, and each page loaded again.

(() => {
  const editor = () => document.getElementById("editor");

  // Args: what is typed goes to the server, which checks it by the codec and sends the form back.

  let checking = Promise.resolve();

  // Each input has the number of the last edit, so that an answer leaves what was typed after its request was sent.
  let edits = 0;
  const lastEdit = new WeakMap();
  const editedAfter = (number) => [...editor().elements].filter((each) => lastEdit.get(each) > number);

  function check(extra) {
    checking = checking.then(() => swap(extra)).catch(() => {});
  }

  async function swap(extra) {
    const form = editor();
    if (!form) return;
    const values = { ...Object.fromEntries(new FormData(form)), ...extra };
    const sent = edits;
    const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRF-Token"];
    const answer = await fetch(form.dataset.check, {
      method: "POST",
      headers: { "HX-Request": "true", "X-CSRF-Token": token },
      body: new URLSearchParams(values),
    });
    if (answer.status === 413) document.getElementById("checked").textContent = "These args are too large for a form.";
    if (!answer.ok) return;
    const made = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("editor");
    if (!made) return;
    const typed = editedAfter(sent);
    if (!("action" in values) && values.source !== "json") return update(made, typed);
    const focused = document.activeElement;
    const at = focused && focused.id;
    const pointer = values.at;
    editor().replaceWith(document.adoptNode(made));
    htmx.process(editor());
    typed.forEach(keep);
    const next = (at && document.getElementById(at)) || (pointer !== undefined && nearest(pointer)) || document.getElementById("json");
    next.focus({ preventScroll: true });
    if (next.id === at && next.value === focused.value) select(next, focused);
    link();
    if (typed.length) check({});
  }

  // Selects what is selected in another input; some types have no selection.
  function select(input, other) {
    if (typeof input.selectionStart !== "number" || typeof other.selectionStart !== "number") return;
    input.setSelectionRange(other.selectionStart, other.selectionEnd);
  }

  // Puts what was typed in an input into that of the new form.
  function keep(typed) {
    const input = editor().elements[typed.name];
    if (!input) return;
    input.value = typed.value;
    edited(input);
  }

  function edited(input) {
    lastEdit.set(input, ++edits);
    if (input.id === "json") editor().elements.source.value = "json";
    else if (input.name.startsWith("v:")) editor().elements.source.value = "form";
  }

  // What was typed stays; what the codec says of it, and the JSON, are those of the answer.
  function update(made, typed) {
    const form = editor();
    for (const name of ["base", "text"]) {
      if (!typed.includes(form.elements[name])) form.elements[name].value = made.elements[name].value;
    }
    form.dataset.link = made.dataset.link;
    form.dataset.leftOut = made.dataset.leftOut;
    document.getElementById("checked").replaceWith(made.querySelector("#checked"));
    for (const slot of form.querySelectorAll(".problem[id]")) {
      const other = made.querySelector(`[id="${slot.id}"]`);
      slot.textContent = other ? other.textContent : "";
    }
    for (const input of form.querySelectorAll("[aria-describedby]")) {
      const other = made.querySelector(`[id="${input.id}"]`);
      if (other && other.getAttribute("aria-invalid")) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
    link();
  }

  // A file: its bytes as base64 are the value of its field.
  function fillFile(chooser) {
    const [file] = chooser.files;
    if (!file) return;
    const { file: at, field } = chooser.dataset;
    const told = (text) => { document.getElementById(`${field}-error`).textContent = text; };
    const most = Number(editor().dataset.fileBytes);
    const count = (bytes) => bytes.toLocaleString("en");
    if (file.size > most) {
      chooser.value = "";
      told(`${file.name} has ${count(file.size)} bytes. A form takes files of at most ${count(most)} bytes.`);
      return;
    }
    const reader = new FileReader();
    reader.onerror = () => told(`${file.name} cannot be read.`);
    reader.onload = () => check({ source: "form", action: "fill", at, [`v:${at}`]: reader.result.split(",")[1] || "" });
    reader.readAsDataURL(file);
  }

  function nearest(pointer) {
    for (const button of document.querySelectorAll("[data-at]")) if (button.dataset.at === pointer) return button;
    return null;
  }

  function link() {
    const anchor = document.getElementById("deep-link");
    if (!anchor) return;
    const { link, leftOut } = editor().dataset;
    anchor.hidden = !link;
    anchor.setAttribute("href", `#args=${encodeURIComponent(link)}${leftOut && `&left_out=${encodeURIComponent(leftOut)}`}`);
  }

  document.addEventListener("change", (event) => {
    const target = event.target;
    if (!target.closest || !target.closest("#editor")) return;
    if (target.id === "json") check({ source: "json" });
    else if (target.dataset.file !== undefined) fillFile(target);
    else if (target.dataset.choose !== undefined) check({ action: "choose", at: target.dataset.choose });
    else if (target.name && target.name.startsWith("v:")) check({});
  });

  document.addEventListener("input", (event) => {
    if (event.target.closest("#editor")) edited(event.target);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest("button");
    if (!button) return;
    if (button.dataset.args !== undefined) fillWith(button.dataset.args, button.dataset.leftOut);
    else if (button.hasAttribute("data-act")) check({ action: button.value, at: button.dataset.at });
    else if (button.hasAttribute("data-check-now")) {
      event.preventDefault();
      check({ source: editor().elements.source.value });
    }
  });

  // Fills the form, and names the secret values that are left out of the args.
  function fillWith(args, leftOut) {
    const note = document.getElementById("left-out");
    note.hidden = !leftOut;
    note.querySelector("code").textContent = leftOut;
    check({ source: "json", text: args });
  }

  function fill() {
    const given = /^#args=(.*?)(?:&left_out=([^&]*))?$/s.exec(location.hash);
    if (!given || !editor()) return;
    try {
      fillWith(decodeURIComponent(given[1]), decodeURIComponent(given[2] || ""));
    } catch {
      document.getElementById("checked").textContent = "The args of this address cannot be read.";
    }
  }

  // A call: each event says that it has changed, and what the page shows is fetched, one request at a time.

  function watch() {
    const state = document.getElementById("state");
    if (!state || !state.dataset.watch) return;
    const events = new EventSource(`${state.dataset.watch}/events`);
    let waiting = false;
    let refreshing = Promise.resolve();
    const refresh = async () => {
      waiting = false;
      await show(state, state.dataset.watch);
      if (!state.dataset.watch) events.close();
    };
    events.addEventListener("change", (event) => {
      if (waiting || String(JSON.parse(event.data).version) === state.dataset.version) return;
      waiting = true;
      setTimeout(() => {
        refreshing = refreshing.then(refresh).catch(() => {}); // the next event fetches again
      }, 100);
    });
  }

  // A list: each event says that it has changed, and what the page shows is fetched. Only what differs is touched, so
  // that the focus, what is open and what is typed stay. A page that nobody sees keeps no connection.

  function follow() {
    const list = document.getElementById("live");
    if (!list) return;
    let events = null;
    let refreshing = Promise.resolve();
    const connect = () => {
      if (events) events.close();
      events = null;
      if (document.hidden) return;
      events = new EventSource(list.dataset.live + location.search);
      events.addEventListener("error", () => {
        const isRefused = events && events.readyState === EventSource.CLOSED;
        if (isRefused && !list.dataset.version) list.textContent = "There is no such run.";
      });
      events.addEventListener("change", (event) => {
        htmx.trigger(document.body, "live");
        if (JSON.parse(event.data).versions[0] === list.dataset.version) return;
        refreshing = refreshing.then(() => show(list, location.href)).catch(() => {}); // the next event fetches again
      });
    };
    document.addEventListener("visibilitychange", connect);
    connect();
  }

  // Fetches a part of a page, and makes its node like it. What has the focus keeps it.
  async function show(node, address) {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    const made = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(node.id);
    if (!made) return;
    const focused = document.activeElement;
    morph(node, made);
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  // Makes one node like another of the same kind. Children with an id are found by it, others by their place.
  function morph(node, made) {
    if (node.nodeType !== Node.ELEMENT_NODE) {
      if (node.data !== made.data) node.data = made.data;
      return;
    }
    for (const { name, value } of made.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    if (node.nodeName === "TEXTAREA") return; // what is typed stays
    for (const { name } of [...node.attributes]) if (name !== "open" && !made.hasAttribute(name)) node.removeAttribute(name);
    const known = new Map([...node.children].filter((each) => each.id).map((each) => [each.id, each]));
    const wanted = new Set([...made.children].map((each) => each.id));
    let at = node.firstChild;
    for (const child of [...made.childNodes]) {
      while (at && at.id && !wanted.has(at.id)) at = drop(at);
      const isAlike = at && !at.id && !child.id && at.nodeName === child.nodeName;
      const same = child.id ? known.get(child.id) : isAlike && at;
      if (!same) node.insertBefore(document.adoptNode(child), at);
      else {
        if (same === at) at = at.nextSibling;
        else node.insertBefore(same, at);
        morph(same, child);
      }
    }
    while (at) at = drop(at);
  }

  // Removes what is gone, and returns what follows. A question with an answer that is being written stays, to be read.
  function drop(node) {
    const next = node.nextSibling;
    const fields = node.querySelectorAll ? [...node.querySelectorAll(".question textarea")] : [];
    if (!fields.some((each) => each.value || each === document.activeElement)) node.remove();
    else if (!node.dataset.gone) {
      node.dataset.gone = "true";
      const note = document.createElement("p");
      note.className = "problem";
      note.setAttribute("role", "status");
      note.textContent = "This is not asked any more: it was answered, or it has ended. What you wrote was not sent.";
      node.querySelector(".question .actions").replaceWith(note);
    }
    return next;
  }

  // Keys: `/` goes to the search of a page.

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest && event.target.closest("input, select, textarea");
    const field = document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
    if (!field || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });

  // The palette: Ctrl-K, or its button. Arrow keys go through the places, Enter opens the first one.

  const palette = document.getElementById("palette");

  function open() {
    palette.showModal();
    const field = document.getElementById("palette-query");
    field.select();
    htmx.trigger(field, "palette");
  }

  if (palette) {
    document.querySelector("[data-palette]").addEventListener("click", open);
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !palette.open) {
        event.preventDefault();
        open();
      }
    });
    palette.addEventListener("keydown", (event) => {
      const places = [...palette.querySelectorAll("a")];
      const at = places.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" && at < 0 && places.length) {
        event.preventDefault();
        places[0].click();
      } else if (step && places.length) {
        event.preventDefault();
        places[(at + step + places.length) % places.length].focus();
      }
    });
  }

  window.addEventListener("hashchange", fill);
  fill();
  watch();
  follow();
})();
