"use strict";

// Search: the data is a script file, loaded at the first use, because pages opened from a disk cannot fetch.
(() => {
  const root = document.documentElement.dataset.root;
  const finder = document.querySelector(".finder");
  const input = document.getElementById("query");
  const results = document.getElementById("results");
  const count = document.getElementById("count");
  const most = 50;
  let rank = null;
  let loading = false;

  window.toolgenSearch = (kinds, found, vocabulary) => {
    const rows = found.map(([kind, name, about, names, others, path]) => ({
      kind: kinds[kind],
      name,
      about,
      path: path || `${kinds[kind]}/${name}.html`,
      exact: name.toLowerCase(),
      names: ` ${names} `,
      others: ` ${others} `,
    }));
    rank = window.toolgenRanking(rows, vocabulary);
    search();
  };

  const load = () => {
    if (loading) return;
    loading = true;
    const script = document.createElement("script");
    script.src = `${root}search-data.js`;
    script.addEventListener("error", () => {
      count.textContent = "The search data cannot be loaded.";
    });
    document.head.append(script);
  };

  const search = () => {
    const query = input.value.trim();
    if (!query) return close();
    if (!rank) return load();
    show(rank(query));
  };

  const element = (tag, name, text) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text) made.textContent = text;
    return made;
  };

  const show = (found) => {
    const words = found.length === 1 ? "1 result" : `${found.length} results`;
    count.textContent = found.length > most ? `${words}, the first ${most} are listed` : words;
    const list = element("ul");
    for (const row of found.slice(0, most)) {
      const link = element("a");
      link.href = root + row.path;
      link.append(element("span", "kind", row.kind.replace(/ies$/, "y").replace(/s$/, "")), element("span", "name", row.name));
      if (row.about) link.append(element("span", "about", row.about));
      const item = element("li");
      item.append(link);
      list.append(item);
    }
    const note = element("p", "", found.length ? count.textContent : `Nothing matches “${input.value.trim()}”.`);
    results.replaceChildren(...(found.length ? [list] : []), ...(found.length > most || !found.length ? [note] : []));
    results.hidden = false;
    results.scrollTop = 0;
  };

  const close = () => {
    results.hidden = true;
    results.replaceChildren();
    count.textContent = "";
  };

  const move = (step) => {
    const links = [...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (at + step < 0) input.focus();
    else if (at + step < links.length) links[at + step].focus();
  };

  if (finder) {
    finder.hidden = false;
    input.addEventListener("focus", load);
    input.addEventListener("input", search);
    finder.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        move(event.key === "ArrowDown" ? 1 : -1);
      } else if (event.key === "Enter" && event.target === input) {
        const first = results.querySelector("a");
        if (first) first.click();
      } else if (event.key === "Escape") {
        event.preventDefault();
        if (event.target === input && results.hidden) input.value = "";
        close();
        input.focus();
      }
    });
    finder.addEventListener("focusout", (event) => {
      if (!finder.contains(event.relatedTarget)) results.hidden = true;
    });
    input.addEventListener("focus", () => {
      if (results.childElementCount) results.hidden = false;
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, textarea, select, [contenteditable]");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        input.focus();
        input.select();
      }
    });
  }
})();

// A table or code that is wider than the page can be scrolled with the keyboard.
(() => {
  const update = () => {
    for (const region of document.querySelectorAll(".scroll, .code")) {
      const scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
      if (scrolls) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }
  };
  window.addEventListener("resize", update);
  document.addEventListener("toggle", update, true);
  update();
})();

// JSON is stored without spaces; it is indented when it is opened, as text: parsing would change large numbers.
(() => {
  const indented = (text) => {
    let out = "";
    let depth = 0;
    let quoted = false;
    const line = () => `\n${"  ".repeat(depth)}`;
    for (let at = 0; at < text.length; at++) {
      const each = text[at];
      if (quoted) {
        out += each === "\\" ? each + text[++at] : each;
        quoted = each !== '"';
      } else if (each === "{" || each === "[") {
        const empty = text[at + 1] === (each === "{" ? "}" : "]");
        if (!empty) depth++;
        out += empty ? each + text[++at] : each + line();
      } else if (each === "}" || each === "]") {
        depth--;
        out += line() + each;
      } else {
        quoted = each === '"';
        out += each === "," ? each + line() : each === ":" ? ": " : each;
      }
    }
    return out;
  };
  const open = (event) => {
    for (const block of event.target.querySelectorAll(".code[data-language=json]:not([data-indented]) code")) {
      block.parentElement.dataset.indented = "";
      block.textContent = indented(block.textContent);
    }
  };
  document.addEventListener("toggle", open, true);
})();

// A link to a closed part opens it.
(() => {
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  window.addEventListener("hashchange", open);
  open();
})();
