// A table of any number of rows: only those in view are in the document. Text of models is put in
// as text, never as markup, and characters that would hide or reorder it are shown by their codes.
"use strict";
(() => {
  const OVERSCAN = 8;
  const BEFORE_SPAN = 40;
  const BEFORE_SPAN_NARROW = 12;
  const NARROW_PIXELS = 704; // 44rem, as in the style sheet
  const CELL_CHARACTERS = 240;
  const TALLEST_PIXELS = 12_000_000; // browsers stop being exact beyond
  const HIDING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

  const made = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Text with its hiding characters made visible.
  function addText(parent, text) {
    let from = 0;
    for (const found of text.matchAll(HIDING)) {
      if (found.index > from) parent.append(text.slice(from, found.index));
      const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      parent.append(made("span", "shown-code", `U+${code}`));
      from = found.index + found[0].length;
    }
    parent.append(text.slice(from));
  }

  function addMarked(parent, text, begin, end) {
    if (begin < 0 || begin >= text.length || end <= begin) { addText(parent, text); return; }
    addText(parent, text.slice(0, begin));
    const mark = made("mark");
    addText(mark, text.slice(begin, end));
    parent.append(mark);
    addText(parent, text.slice(end));
  }

  function fromBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const packed = atob(text);
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
    return bytes;
  }

  async function unpack(element) {
    const bytes = fromBase64(element.textContent.trim());
    element.textContent = "";
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  // Rule sets mostly agree: a column is the main one's (null), or says where it differs.
  function resolve(data) {
    const main = data.rules[0];
    for (const rule of data.rules) {
      for (const name of ["status", "read", "score"]) {
        const column = rule[name];
        if (column === null) rule[name] = main[name];
        else if (!Array.isArray(column)) {
          rule[name] = main[name].slice();
          column.at.forEach((place, i) => { rule[name][place] = column.is[i]; });
        }
      }
    }
    return data;
  }

  class Rows {
    constructor(section, data) {
      this.section = section;
      this.data = data;
      this.rule = 0;
      this.active = 0;
      this.sorted = { key: null, descending: false };
      this.grid = section.querySelector(".grid");
      this.view = section.querySelector(".window");
      this.space = section.querySelector(".space");
      this.count = section.querySelector(".count");
      this.detail = section.querySelector(".detail");
      this.form = section.querySelector(".filters");
      this.order = Int32Array.from({ length: data.count }, (_, i) => i);
      this.fillChoices();
      this.listen();
      this.refilter();
      section.dataset.ready = "yes";
    }

    // What was said comes after the rest: it is most of the file.
    receive({ texts, spans }) {
      this.data.texts = texts;
      this.spans = spans.map((own) => own ?? spans[0]);
      this.section.dataset.texts = "yes";
      if (this.form.elements.search.value !== "") this.refilter();
      else this.draw();
    }

    // ---- what a row holds --------------------------------------------------------------------

    status(row) { return this.data.statuses[this.rules.status[row]]; }
    get rules() { return this.data.rules[this.rule]; }
    read(row) { return this.rules.read[row] ?? ""; }
    score(row) { return this.rules.score[row]; }
    video(row) { return this.data.videos.names[this.data.videos.codes[row]]; }
    text(row) { return this.data.texts === undefined ? "" : this.data.texts[row]; }
    scoreText(row) {
      const value = this.score(row);
      return value === null ? "" : String(value);
    }
    span(row) {
      const spans = this.spans?.[this.rule] ?? [];
      return spans.length === 0 ? [-1, -1] : [spans[2 * row], spans[2 * row + 1]];
    }
    differs(row) { return this.data.differs[row] === 1; }

    // ---- filters -----------------------------------------------------------------------------

    fillChoices() {
      const { form, data } = this;
      const fill = (select, entries) => {
        select.replaceChildren(...entries.map(([value, text]) => {
          const option = made("option", "", text);
          option.value = value;
          return option;
        }));
      };
      fill(form.elements.rule, data.rules.map((rule, i) => [i, rule.name]));
      fill(form.elements.stratum, [["", "all groups"], ...data.strata.map((s, i) => [i, s.name])]);
      this.fill = fill;
      this.fillStatuses();
      this.fillCategories();
    }

    fillStatuses() {
      const counts = new Map();
      for (let row = 0; row < this.data.count; row++) {
        const name = this.status(row);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      const kept = this.form.elements.status.value;
      this.fill(this.form.elements.status, [
        ["", "every status"],
        ...[...counts].map(([name, n]) => [name, `${name} (${n.toLocaleString("en")})`]),
      ]);
      if (counts.has(kept)) this.form.elements.status.value = kept;
    }

    fillCategories() {
      const chosen = this.form.elements.stratum.value;
      const names = chosen === "" ? [] : this.data.strata[chosen].categories;
      this.fill(this.form.elements.category, [["", "all of them"], ...names.map((n, i) => [i, n])]);
      this.form.elements.category.disabled = chosen === "";
    }

    haystack() {
      const { data } = this;
      const complete = data.texts !== undefined;
      if (this.searchable?.complete !== complete) {
        const rows = data.ids.map((id, row) =>
          `${id}\n${this.video(row)}\n${data.gold[row] ?? ""}\n${this.text(row) ?? ""}`.toLowerCase());
        this.searchable = { rows, complete };
      }
      return this.searchable.rows;
    }

    refilter() {
      const { form, data } = this;
      const words = form.elements.search.value.trim().toLowerCase();
      const status = form.elements.status.value;
      const outcome = form.elements.outcome.value;
      const stratum = form.elements.stratum.value;
      const category = form.elements.category.value;
      const groups = stratum === "" || category === "" ? null : data.strata[stratum];
      const wanted = Number(category);
      const found = words === "" ? null : this.haystack();
      const full = data.full_score;
      this.shown = this.order.filter((row) => {
        if (status !== "" && this.status(row) !== status) return false;
        if (outcome !== "") {
          const score = this.score(row);
          if (outcome === "right" && !(score !== null && score >= full)) return false;
          if (outcome === "wrong" && score !== 0) return false;
          if (outcome === "between" && !(score !== null && score > 0 && score < full)) return false;
          if (outcome === "uncounted" && score !== null) return false;
          if (outcome === "differs" && !this.differs(row)) return false;
        }
        if (groups !== null) {
          const code = groups.codes[row];
          if (Array.isArray(code) ? !code.includes(wanted) : code !== wanted) return false;
        }
        return found === null || found[row].includes(words);
      });
      this.active = Math.min(this.active, Math.max(0, this.shown.length - 1));
      this.count.textContent = `${this.shown.length.toLocaleString("en")} of ` +
        `${data.count.toLocaleString("en")} rows shown`;
      this.grid.setAttribute("aria-rowcount", String(this.shown.length + 1));
      this.view.scrollTop = 0;
      this.active = 0;
      this.resize();
    }

    sortBy(key) {
      const { sorted } = this;
      if (sorted.key !== key) this.sorted = { key, descending: false };
      else if (!sorted.descending) this.sorted = { key, descending: true };
      else this.sorted = { key: null, descending: false };
      this.resort();
    }

    resort() {
      const { key, descending } = this.sorted;
      const order = Int32Array.from({ length: this.data.count }, (_, i) => i);
      if (key !== null) {
        const sign = descending ? -1 : 1;
        const rank = this.ranks(key);
        order.sort((a, b) => sign * (rank[a] - rank[b]) || a - b);
      }
      this.order = order;
      for (const head of this.grid.querySelectorAll("[data-key]")) {
        const mine = head.dataset.key === key;
        head.setAttribute("aria-sort", mine ? (descending ? "descending" : "ascending") : "none");
      }
      this.refilter();
    }

    // A number a row whose order is the column's: texts are compared once each.
    ranks(key) {
      const { count, ids, gold } = this.data;
      if (key === "score") return Float64Array.from({ length: count }, (_, i) => this.score(i) ?? -1);
      const texts = {
        id: (row) => ids[row], video: (row) => this.video(row), status: (row) => this.status(row),
        gold: (row) => gold[row] ?? "", read: (row) => this.read(row),
        excerpt: (row) => this.text(row) ?? "",
      }[key];
      const values = Array.from({ length: count }, (_, row) => texts(row));
      // Numbers inside names count as numbers; long texts are compared plainly, which is quicker.
      const compare = key === "excerpt" ? undefined : new Intl.Collator("en", { numeric: true }).compare;
      const place = new Map([...new Set(values)].sort(compare).map((text, i) => [text, i]));
      return Float64Array.from(values, (text) => place.get(text));
    }

    // ---- drawing -----------------------------------------------------------------------------

    resize() {
      this.height = parseFloat(getComputedStyle(this.grid).getPropertyValue("--row-height"));
      const whole = this.shown.length * this.height;
      this.stretch = Math.max(1, whole / TALLEST_PIXELS);
      this.space.style.height = `${whole / this.stretch}px`;
      this.view.style.setProperty("--whole", `${Math.max(3 * this.height, whole)}px`);
      this.draw();
    }

    draw() {
      const { view, height } = this;
      const top = view.scrollTop * this.stretch;
      const first = Math.max(0, Math.floor(top / height) - OVERSCAN);
      const last = Math.min(this.shown.length, Math.ceil((top + view.clientHeight) / height) + OVERSCAN);
      const lines = [];
      for (let place = first; place < last; place++) lines.push(this.line(place, top));
      this.space.replaceChildren(...lines);
      this.grid.setAttribute("aria-activedescendant", this.lineId(this.active));
    }

    lineId(place) { return `${this.section.id}-line-${place}`; }

    line(place, top) {
      const row = this.shown[place];
      const line = made("div", place === this.active ? "line active" : "line");
      line.id = this.lineId(place);
      line.setAttribute("role", "row");
      line.setAttribute("aria-rowindex", String(place + 2));
      line.setAttribute("aria-selected", String(place === this.active));
      line.dataset.place = place;
      line.style.top = `${this.view.scrollTop + place * this.height - top}px`;
      const cell = (name, text) => {
        const element = made("div", name);
        element.setAttribute("role", "gridcell");
        addText(element, text);
        line.append(element);
        return element;
      };
      const status = this.status(row);
      cell("id", this.data.ids[row]);
      cell("video id", this.video(row));
      cell(`status ${status === "ok" ? "ok" : "unread"}`, status);
      cell("gold", this.data.gold[row] ?? "");
      cell("read", this.read(row));
      cell("score", this.scoreText(row));
      const excerpt = cell("excerpt", "");
      this.addExcerpt(excerpt, row);
      return line;
    }

    addExcerpt(cell, row) {
      const text = this.text(row);
      if (text === null) return;
      const [begin, end] = this.span(row);
      const before = innerWidth < NARROW_PIXELS ? BEFORE_SPAN_NARROW : BEFORE_SPAN;
      const from = begin > 1.5 * before ? begin - before : 0;
      const until = Math.min(text.length, from + CELL_CHARACTERS);
      if (from > 0) cell.append("… ");
      addMarked(cell, text.slice(from, until), begin - from, Math.min(end, until) - from);
      if (until < text.length) cell.append(" …");
    }

    // ---- one row whole -----------------------------------------------------------------------

    open(place) {
      const row = this.shown[place];
      if (row === undefined) return;
      this.active = place;
      const { data, detail } = this;
      const bar = made("div", "bar");
      const title = made("h3", "id");
      addText(title, data.ids[row]);
      const close = made("button", "", "Close");
      close.type = "button";
      close.addEventListener("click", () => { detail.hidden = true; this.grid.focus(); });
      bar.append(title, close);
      const facts = made("dl", "facts");
      const fact = (name, text) => {
        const held = made("dd", "text");
        addText(held, text);
        facts.append(made("dt", "", name), held);
      };
      fact("video", this.video(row));
      fact("gold", data.gold[row] ?? "none");
      data.strata.forEach((stratum) => {
        const code = stratum.codes[row];
        const codes = Array.isArray(code) ? code : [code];
        fact(stratum.name, codes.map((c) => stratum.categories[c]).join(", "));
      });
      for (const extra of data.facts) {
        if (extra.values[row] !== null) fact(extra.name, String(extra.values[row]));
      }
      const table = made("table", "stacked");
      const head = made("tr");
      const titles = { "rule set": "words", status: "words", read: "words", [data.score_name]: "" };
      for (const [title, kind] of Object.entries(titles)) head.append(made("th", kind, title));
      const body = made("tbody");
      data.rules.forEach((rule) => {
        const line = made("tr");
        const status = data.statuses[rule.status[row]];
        line.append(made("td", "", rule.name));
        line.append(made("td", "words", `${status}: ${data.meanings[status]}`));
        const read = made("td", "words text");
        addText(read, rule.read[row] ?? "nothing");
        const score = rule.score[row];
        line.append(read, made("td", "", score === null ? "not counted" : String(score)));
        body.append(line);
      });
      const top = made("thead");
      top.append(head);
      table.append(top, body);
      const scroll = made("div", "scroll");
      scroll.append(table);
      detail.replaceChildren(bar, facts, scroll);
      const text = this.text(row);
      if (text !== null) {
        const [begin, end] = this.span(row);
        const said = made("pre", "text");
        said.tabIndex = 0;
        said.dir = "auto";
        addMarked(said, text, begin, end);
        detail.append(made("p", "soft", this.about(text, begin)), said);
      } else {
        detail.append(made("p", "soft", "No text is kept for this row."));
      }
      detail.hidden = false;
      detail.focus();
      this.draw();
    }

    about(text, begin) {
      const name = this.rules.name;
      if (begin >= text.length) return `What the model said, from its beginning; what ${name} read lies further on.`;
      if (begin < 0) return "What the model said.";
      return `What the model said; marked: what ${name} read.`;
    }

    // ---- events ------------------------------------------------------------------------------

    listen() {
      const { form, view, grid } = this;
      let waiting = 0;
      view.addEventListener("scroll", () => {
        if (waiting) return;
        waiting = requestAnimationFrame(() => { waiting = 0; this.draw(); });
      }, { passive: true });
      form.addEventListener("submit", (event) => event.preventDefault());
      form.addEventListener("input", (event) => {
        if (event.target === form.elements.stratum) this.fillCategories();
        if (event.target === form.elements.rule) {
          this.rule = Number(form.elements.rule.value);
          this.fillStatuses();
          if (this.sorted.key !== null) { this.resort(); return; }
        }
        this.refilter();
      });
      form.addEventListener("reset", () => setTimeout(() => {
        this.rule = 0;
        this.sorted = { key: null, descending: false };
        this.fillCategories();
        this.fillStatuses();
        this.resort();
      }));
      grid.querySelector(".heads").addEventListener("click", (event) => {
        const head = event.target.closest("[data-key]");
        if (head) this.sortBy(head.dataset.key);
      });
      view.addEventListener("click", (event) => {
        const line = event.target.closest(".line");
        if (line && String(getSelection()) === "") this.open(Number(line.dataset.place));
      });
      grid.addEventListener("keydown", (event) => this.key(event));
      this.detail.addEventListener("keydown", (event) => {
        if (event.key === "Escape") { this.detail.hidden = true; grid.focus(); }
      });
      addEventListener("resize", () => this.resize());
      this.section.closest("details")?.addEventListener("toggle", () => this.resize());
    }

    key(event) {
      if (event.target !== this.grid) return; // a head's button handles its own keys
      const page = Math.max(1, Math.floor(this.view.clientHeight / this.height) - 1);
      const last = this.shown.length - 1;
      const moves = {
        ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page,
        PageUp: this.active - page, Home: 0, End: last,
      };
      if (event.key === "Enter" || event.key === " ") this.open(this.active);
      else if (event.key in moves) this.move(Math.min(last, Math.max(0, moves[event.key])));
      else return;
      event.preventDefault();
    }

    move(place) {
      this.active = place;
      const { view, height, stretch } = this;
      const top = place * height;
      const seen = view.scrollTop * stretch;
      if (top < seen) view.scrollTop = top / stretch;
      else if (top + height > seen + view.clientHeight) {
        view.scrollTop = (top + height - view.clientHeight) / stretch;
      }
      this.draw();
    }
  }

  async function start(section) {
    const held = (name) => document.getElementById(`${section.id}-${name}`);
    const rows = new Rows(section, resolve(await unpack(held("data"))));
    rows.receive(await unpack(held("texts")));
  }

  document.querySelectorAll(".rows").forEach(start);
})();
