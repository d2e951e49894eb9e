// Draws plots when they come near the screen, and switches between light and dark.
"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const themes = ["auto", "light", "dark"];
  const button = document.querySelector(".theme");

  // A file opened from a disk may be refused the store: the choice then lasts as long as the page.
  const remembered = () => { try { return localStorage.getItem("fastvbench-theme"); } catch { return null; } };
  const remember = (name) => { try { localStorage.setItem("fastvbench-theme", name); } catch { /* see above */ } };

  // Texts in plots take their colours from the style sheet when they are painted.
  function redraw() {
    for (const view of Bokeh.index.roots) view.request_repaint?.(); // notices have none
  }

  function apply(name) {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    if (button) button.textContent = `Colours: ${name}`;
    redraw();
  }

  async function draw(place) {
    const item = JSON.parse(document.getElementById(place.dataset.plot).textContent);
    await Bokeh.embed.embed_item(item, place);
    place.dataset.drawn = "yes";
  }

  function watch() {
    const places = document.querySelectorAll("[data-plot]");
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        seen.unobserve(entry.target);
        draw(entry.target);
      }
    }, { rootMargin: "400px" });
    places.forEach((place) => seen.observe(place));
    addEventListener("beforeprint", () => places.forEach((place) => {
      if (!place.dataset.drawn) { seen.unobserve(place); draw(place); }
    }));
  }

  // A link into a folded result opens it.
  function unfold() {
    const target = document.getElementById(location.hash.slice(1));
    const folded = target?.closest("details");
    if (!folded || folded.open) return;
    folded.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  unfold();

  Bokeh.set_log_level("warn");
  let theme = themes.includes(remembered()) ? remembered() : "auto";
  apply(theme);
  button?.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remember(theme);
    apply(theme);
  });
  dark.addEventListener("change", redraw);
  watch();
})();
