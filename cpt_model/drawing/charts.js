// Charts of a page: every <figure data-chart='{...}'> becomes an SVG as wide as its place; tables sort by a click.
// A chart: kind (lines, bars), x, y (labels), series [{name, colour, dash, step, marks, points: [[x, y, words]]}],
// logx, logy, least, whole, stacked; or frames [{name, series}], between which a slider chooses.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const words = (value) => Math.abs(value) >= 1e15 || (value && Math.abs(value) < 1e-4)
    ? value.toExponential(1) : value.toLocaleString("en-US", { maximumSignificantDigits: 6 });
  const short = (value) => Math.abs(value) >= 1e6 ? `${+(value / 1e6).toPrecision(4)} M`
    : Math.abs(value) >= 1e4 ? `${+(value / 1e3).toPrecision(4)} k` : words(+value.toPrecision(4));

  function add(parent, name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  function html(parent, name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  function scale(values, from, to, log, least, whole) {
    let low = Math.min(...values), high = Math.max(...values);
    if (least !== undefined && !log) low = Math.min(least, low);
    if (low === high) { high = low + 1; }
    const of = log ? Math.log10 : (value) => value;
    if (!log && low !== least) low -= 0.04 * (high - low);
    if (log) { low /= 1.15; high *= 1.15; } else high += 0.04 * (high - low);
    const place = (value) => from + ((of(value) - of(low)) / (of(high) - of(low))) * (to - from);
    const wanted = Math.max(2, Math.floor(Math.abs(to - from) / (whole === "each" ? 20 : 70)));
    const found = [];
    if (log) {
      const decades = of(high) - of(low);
      for (let power = Math.floor(of(low)); power <= of(high); power++)
        for (const digit of decades > 2 ? [1] : [1, 2, 5]) found.push(digit * 10 ** power);
    } else {
      const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
      const fitting = [1, 2, 5, 10].find((each) => each * power >= rough) * power, step = whole ? Math.max(1, fitting) : fitting;
      for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) found.push(+tick.toPrecision(12));
    }
    return { place, ticks: found.filter((tick) => tick >= low && tick <= high) };
  }

  function tell(mark, tip, name, text) {
    const show = (event) => {
      tip.textContent = name === text ? text : `${name}: ${text}`;
      tip.hidden = false;
      const box = tip.parentElement.getBoundingClientRect(), spot = mark.getBoundingClientRect();
      tip.style.left = `${Math.max(0, Math.min(spot.left - box.left, box.width - tip.offsetWidth))}px`;
      tip.style.top = `${Math.max(0, spot.top - box.top - tip.offsetHeight - 6)}px`;
    };
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("aria-label", `${name}: ${text}`);
    for (const event of ["pointerenter", "focus", "click"]) mark.addEventListener(event, show);
    for (const event of ["pointerleave", "blur"]) mark.addEventListener(event, () => { tip.hidden = true; });
  }

  function lines(svg, chart, series, every, width, tip) {
    const height = Math.max(220, Math.min(360, width * 0.5)), left = 58, bottom = height - 40;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const points = every.flatMap((one) => one.points).filter((point) => point[1] !== null);
    if (!points.length) return;
    const x = scale(points.map((point) => point[0]), left, width - 12, chart.logx, chart.leastx, true);
    const y = scale(points.map((point) => point[1]), bottom, 26, chart.logy, chart.least, chart.whole && "each");
    for (const tick of y.ticks) {
      add(svg, "line", { class: "grid", x1: left, x2: width - 12, y1: y.place(tick), y2: y.place(tick) });
      add(svg, "text", { x: left - 6, y: y.place(tick) + 4, "text-anchor": "end" }, short(tick));
    }
    for (const tick of x.ticks)
      add(svg, "text", { x: x.place(tick), y: bottom + 17, "text-anchor": "middle" }, short(tick));
    add(svg, "line", { class: "axis", x1: left, x2: width - 12, y1: bottom, y2: bottom });
    add(svg, "text", { class: "label", x: width - 12, y: height - 5, "text-anchor": "end" }, chart.x);
    add(svg, "text", { class: "label", x: 2, y: 13 }, chart.y);
    for (const one of series) {
      const colour = `var(--${one.colour})`, known = one.points.filter((point) => point[1] !== null);
      if (!one.marks) {
        let path = "", before;
        for (const [px, py] of known) {
          const to = [x.place(px), y.place(py)];
          if (before === undefined) path = `M${to}`;
          else path += one.step ? `H${to[0]}V${to[1]}` : `L${to}`;
          before = to;
        }
        add(svg, "path", { class: "line", d: path, stroke: colour, "stroke-dasharray": one.dash ? "6 5" : "none" });
      }
      const far = one.marks ? known : known.length <= 40 ? known : [];
      for (const [px, py, text] of far) {
        const mark = add(svg, "circle", { class: "dot", cx: x.place(px), cy: y.place(py), r: one.marks ? 5 : 3.5,
          fill: one.hollow ? "var(--page)" : colour, stroke: colour });
        tell(mark, tip, one.name, text || `${words(px)} ${chart.x}, ${words(py)} ${chart.y}`);
      }
    }
  }

  function bars(svg, chart, series, every, width, tip) {
    const names = series[0].points.map((point) => point[0]), stacked = chart.stacked;
    const thick = stacked ? 20 : 13, group = (stacked ? thick : thick * series.length) + 12;
    const left = Math.min(width * 0.42, 12 + 7 * Math.max(...names.map((name) => name.length)));
    const height = 26 + group * names.length + 34, right = width - 58;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const sums = (some) => names.map((_, row) => some.reduce((sum, one) => sum + one.points[row][1], 0));
    const all = chart.frames ? chart.frames.map((frame) => frame.series) : [series];
    const most = Math.max(...all.flatMap((some) => stacked ? sums(some) : some.flatMap((one) => one.points.map((p) => p[1]))));
    const place = (value) => left + (value / most) * (right - left);
    names.forEach((name, row) => {
      const top = 22 + row * group;
      const fits = Math.floor((left - 8) / 6.6), shown = name.length > fits ? `${name.slice(0, fits - 1)}…` : name;
      add(svg, "text", { x: left - 8, y: top + (group - 12) / 2 + 4, "text-anchor": "end" }, shown);
      let from = 0;
      series.forEach((one, number) => {
        const [, value, text] = one.points[row];
        const y = top + (stacked ? 0 : number * thick), start = stacked ? place(from) : left;
        const mark = add(svg, "rect", { class: "bar", x: start, y, height: thick - 2,
          width: Math.max(1, place(stacked ? from + value : value) - start), fill: `var(--${one.colour})` });
        tell(mark, tip, `${name}, ${one.name}`, text || `${words(value)} ${chart.x}`);
        if (!stacked) add(svg, "text", { class: "value", x: place(value) + 5, y: y + thick - 3 }, short(value));
        from += value;
      });
      if (stacked) add(svg, "text", { class: "value", x: place(from) + 5, y: top + thick - 6 }, short(from));
    });
    add(svg, "line", { class: "axis", x1: left, x2: left, y1: 16, y2: height - 34 });
    add(svg, "text", { class: "label", x: left, y: height - 12 }, chart.x);
  }

  function draw(figure) {
    const chart = JSON.parse(figure.dataset.chart), frames = chart.frames;
    const place = html(figure, "div", "plot"), svg = add(place, "svg", { role: "img", "aria-label": chart.title });
    const tip = html(place, "div", "tip"), legend = html(figure, "div", "legend");
    tip.hidden = true;
    let shown = frames ? frames.length - 1 : 0;
    const paint = () => {
      const series = frames ? frames[shown].series : chart.series;
      const every = frames ? frames.flatMap((frame) => frame.series) : series;
      svg.replaceChildren();
      const width = Math.max(300, Math.min(figure.clientWidth, 1000));
      svg.setAttribute("width", width);
      (chart.kind === "bars" ? bars : lines)(svg, chart, series, every, width, tip);
      legend.replaceChildren();
      for (const one of series) {
        const key = html(legend, "span", one.dash ? "key dashed" : "key");
        const swatch = html(key, "i", one.marks ? "round" : "");
        swatch.style.background = one.dash || one.hollow ? "none" : `var(--${one.colour})`;
        swatch.style.borderColor = `var(--${one.colour})`;
        key.append(one.name);
      }
    };
    if (frames) {
      const label = html(figure, "label", "slider"), input = html(label, "input"), text = html(label, "b");
      label.prepend(`${chart.slider} `);
      Object.assign(input, { type: "range", min: 0, max: frames.length - 1, value: shown });
      const move = () => { shown = +input.value; text.textContent = frames[shown].name; paint(); };
      input.addEventListener("input", move);
      figure.prepend(label);
      text.textContent = frames[shown].name;
    }
    new ResizeObserver(paint).observe(figure);
    paint();
  }

  function sortable(table) {
    const head = [...table.querySelectorAll("th")], value = (row, column) => {
      const text = (row.children[column] || {}).textContent || "";
      const number = parseFloat(text.replace(/,/g, "").replace("−", "-"));
      return Number.isNaN(number) ? text : number;
    };
    head.forEach((cell, column) => {
      const button = document.createElement("button");
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const up = cell.getAttribute("aria-sort") !== "ascending";
        head.forEach((other) => other.removeAttribute("aria-sort"));
        cell.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...table.querySelectorAll("tr")].slice(1);
        rows.sort((one, two) => {
          const [a, b] = [value(one, column), value(two, column)];
          const order = typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
          return up ? order : -order;
        });
        for (const row of rows) row.parentElement.append(row);
      });
    });
  }

  document.querySelectorAll("figure[data-chart]").forEach(draw);
  document.querySelectorAll("table").forEach(sortable);
})();
