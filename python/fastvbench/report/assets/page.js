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

  function redraw() {
    for (const view of Object.values(window.Bokeh ? Bokeh.index : {})) view.invalidate_render?.();
    for (const view of plots) view.request_paint?.() ?? view.request_render?.();
  }

  const plots = [];

  function apply(name) {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    if (button) button.textContent = `Colours: ${name}`;
    redraw();
  }

  async function draw(place) {
    const item = JSON.parse(document.getElementById(place.dataset.plot).textContent);
    place.style.minHeight = "";
    const manager = await Bokeh.embed.embed_item(item, place);
    for (const view of manager.roots ?? []) plots.push(view);
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
