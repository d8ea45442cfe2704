"use strict";
// Charts in the colours of the page, series highlighted by a click, tables sorted by a column.
(() => {
  const chosen = new Set();
  const views = new Map();
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;

  function theme() {
    const styles = getComputedStyle(root);
    const of = (name) => styles.getPropertyValue(name).trim();
    const font = "system-ui, sans-serif";
    return {
      background: "transparent",
      font,
      view: { stroke: null },
      rule: { color: of("--ink") },
      style: { ink: { color: of("--ink") } },
      text: { color: of("--soft"), fontSize: 12 },
      axis: {
        labelColor: of("--ink"), titleColor: of("--soft"), gridColor: of("--line"),
        domainColor: of("--soft"), tickColor: of("--soft"),
        labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8,
      },
      axisX: { labelFlush: 16 },
      legend: { labelColor: of("--ink"), labelFontSize: 12 },
    };
  }

  // Names beside points: they cover neither each other nor a point, and have the colour of their
  // point with enough contrast to be legible.
  function labelled(spec) {
    const labels = spec.usermeta && spec.usermeta.labels;
    if (!labels) return spec;
    const gaps = [3, 10, 18, 28, 40];
    const sides = [
      "right", "left", "top", "bottom", "top-right", "bottom-right", "top-left", "bottom-left",
    ];
    const range = dark.matches ? "72, 100" : "0, 38";
    const color = "lab(datum.stroke || datum.fill)";
    const tint = `${color}.a, ${color}.b`;
    const field = JSON.stringify(labels.field);
    const chosenNow = "!length(chosen) || indexof(chosen, datum.datum.series) >= 0";
    const tinted = `'' + lab(clamp(${color}.l, ${range}), ${tint})`;
    spec.marks.push({
      type: "text",
      name: "names",
      from: { data: labels.of },
      interactive: false,
      clip: true, // a name without a place takes no room
      encode: {
        enter: {
          text: { signal: `datum.datum[${field}]` },
          fill: { signal: tinted },
          fontSize: { value: 12 },
        },
        update: { opacity: { value: 1 }, fillOpacity: { signal: `${chosenNow} ? 1 : 0.25` } },
      },
      transform: [{
        type: "label",
        sort: { field: "datum.datum.rank" },
        size: { signal: "[max(width, 1), max(height, 1)]" },
        anchor: gaps.flatMap(() => sides),
        offset: gaps.flatMap((gap) => sides.map(() => gap)),
        padding: 0,
        avoidBaseMark: true,
        avoidMarks: spec.marks.map((mark) => mark.name).filter((name) => /^avoid_/.test(name)),
      }],
    }, {
      // A line leads from a distant name to its point.
      type: "rule",
      name: "leaders",
      from: { data: "names" },
      interactive: false,
      clip: true,
      encode: {
        update: {
          x: { field: "x" }, y: { field: "y" },
          x2: { field: "datum.x" }, y2: { field: "datum.y" },
          stroke: { field: "fill" },
          strokeWidth: { value: 0.8 },
          opacity: {
            signal: "datum.opacity && length(datum.text)"
              + " && hypot(datum.x - datum.datum.x, datum.y - datum.datum.y) > 16 ? 0.7 : 0",
          },
        },
      },
    });
    return spec;
  }

  // Vega shows the values of points. A line has its name in a small box beside the pointer.
  const box = document.createElement("div");
  box.className = "name";
  box.hidden = true;
  document.body.append(box);

  function nameLine(event) {
    const near = [[0, 0], [0, -4], [0, 4], [-4, 0], [4, 0]];
    const found = near
      .map(([x, y]) => document.elementFromPoint(event.clientX + x, event.clientY + y))
      .find((one) => one && one.closest(".mark-line"));
    const name = found && found.__data__ && found.__data__.datum.series;
    box.hidden = !name || Boolean(event.target.closest(".mark-symbol"));
    if (box.hidden) return;
    box.textContent = name;
    box.style.left = `${Math.max(0, Math.min(event.clientX + 12, innerWidth - box.offsetWidth - 4))}px`;
    box.style.top = `${event.clientY + 12}px`;
  }

  async function draw() {
    delete root.dataset.drawn;
    for (const figure of document.querySelectorAll("figure")) {
      const spec = JSON.parse(figure.querySelector("script").textContent);
      const place = figure.querySelector(".chart");
      if (views.has(figure)) views.get(figure).finalize();
      const { aspect } = spec.usermeta || {};
      if (aspect) {
        // A drawing keeps its proportions, and is no larger than the screen.
        place.style.maxWidth = `${Math.max(280, Math.round((0.85 * innerHeight) / aspect))}px`;
        spec.height = Math.round(place.clientWidth * aspect);
        const part = Math.min(1, place.clientWidth / 720);
        for (const row of spec.data.values) row.size *= part * part;
      }
      const drawn = await window.vegaEmbed(place, spec, {
        actions: false, renderer: "svg", config: theme(), patch: labelled,
        tooltip: { theme: dark.matches ? "dark" : "light" },
      });
      views.set(figure, drawn);
      drawn.view.addEventListener("click", (_event, item) => {
        const found = item && item.datum;
        if (found && found.series !== undefined) choose(found.series);
      });
      place.onmousemove = nameLine;
      place.onmouseleave = () => { box.hidden = true; };
      highlight(drawn.view);
      await drawn.view.runAsync();
    }
    root.dataset.drawn = String(views.size);
  }

  function highlight(view) {
    if (Object.hasOwn(view.getState().signals, "chosen")) view.signal("chosen", [...chosen]);
  }

  function choose(name) {
    if (!chosen.delete(name)) chosen.add(name);
    for (const button of document.querySelectorAll(".legend button")) {
      button.setAttribute("aria-pressed", String(chosen.has(button.dataset.series)));
      button.parentElement.classList.toggle("chosen", chosen.size > 0);
    }
    for (const { view } of views.values()) {
      highlight(view);
      view.runAsync();
    }
  }

  function sortable(table) {
    const body = table.tBodies[0];
    if (body.rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].sort((a, b) => order(a.cells[place], b.cells[place]));
        body.append(...(down ? rows.reverse() : rows));
      });
    });
  }

  function order(a, b) {
    const numbers = [a, b].map((cell) => (cell.dataset.value === undefined ? Infinity : Number(cell.dataset.value)));
    if (numbers[0] !== numbers[1]) return numbers[0] - numbers[1];
    return a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  }

  for (const table of document.querySelectorAll("table")) sortable(table);
  for (const button of document.querySelectorAll(".legend button")) {
    button.addEventListener("click", () => choose(button.dataset.series));
  }
  if (window.vegaEmbed) {
    let drawing = draw();
    dark.addEventListener("change", () => { drawing = drawing.then(draw); });
  }
})();
