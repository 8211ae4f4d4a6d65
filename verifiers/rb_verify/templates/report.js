"use strict";
// The list of rows: filters, and what is inside a row, built when it is opened. All text goes in as text, never as markup.
const STEP = 100; // rows added to the list at a time
const SIGNS = { correct: ["\u2713", "good"], incorrect: ["\u2717", "bad"], unparsed: ["?", "odd"], missing: ["\u2013", "odd"] };

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function table(shown) {
  const region = element("div", undefined, "scroll text");
  region.tabIndex = 0;
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", shown.title);
  const made = region.appendChild(element("table"));
  const head = made.createTHead().insertRow();
  for (const column of shown.columns) head.appendChild(element("th", column)).scope = "col";
  const body = made.createTBody();
  for (const row of shown.rows) {
    const line = body.insertRow();
    for (const cell of row) line.insertCell().textContent = cell;
  }
  return region;
}

function inside(row) {
  const body = element("div", undefined, "body");
  body.append(element("h4", "Verdict"));
  const words = body.appendChild(element("ul"));
  for (const line of row.words) words.append(element("li", line));
  if (row.steps.rows.length) body.append(element("h4", row.steps.title), table(row.steps));
  for (const [name, text] of row.texts) {
    const shown = element("pre", text);
    shown.tabIndex = 0;
    shown.setAttribute("role", "region");
    shown.setAttribute("aria-label", name);
    body.append(element("h4", name), shown);
  }
  return body;
}

function item(row, grouped) {
  const made = element("li");
  const details = made.appendChild(element("details"));
  const summary = details.appendChild(element("summary"));
  const [sign, ofStatus] = SIGNS[row.status];
  const className = row.status === "correct" && !row.score ? "odd" : ofStatus; // a right answer alone is not the score
  const mark = element("span", sign, `sign ${className}`);
  mark.setAttribute("aria-hidden", "true");
  const sample = row.sample ? `, sample ${row.sample}` : "";
  const said = [...new Set([row.status, row.category.replaceAll("_", " "), `score ${row.score}`])].join(", ");
  const group = /^\d+$/.test(row.group) ? `${grouped} ${row.group}` : row.group;
  summary.append(mark, element("span", row.id + sample), element("span", said, className), element("span", group, "soft"));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(inside(row));
  });
  return made;
}

function labelled(text, control) {
  const label = element("label", text);
  label.append(control);
  return label;
}

function chooser(values) {
  const select = element("select");
  select.append(new Option("all", ""));
  for (const value of new Set(values)) select.append(new Option(value, value));
  return select;
}

function explorer(place) {
  const data = JSON.parse(document.getElementById(place.dataset.rows).textContent);
  const searched = data.rows.map((row) =>
    [row.id, row.group, ...row.words, ...row.steps.rows.flat(), ...row.texts.map((pair) => pair[1])].join("\n").toLowerCase());
  const choices = [["status", "status"], ["category", "category"], [data.grouped, "group"]]
    .map(([name, key]) => [name, key, chooser(data.rows.map((row) => row[key]))]);
  const search = element("input");
  search.type = "search";
  const count = element("p", "", "soft");
  count.setAttribute("role", "status");
  const list = element("ul", undefined, "rows");
  const more = element("button", `Show ${STEP} more`);
  more.type = "button";
  let found = [];
  let listed = 0;

  function extend() {
    for (const row of found.slice(listed, listed + STEP)) list.append(item(row, data.grouped));
    listed = Math.min(found.length, listed + STEP);
    more.hidden = listed >= found.length;
    count.textContent = `${found.length} of ${data.rows.length} rows match` + (listed < found.length ? `; ${listed} are listed` : "");
  }

  function filter() {
    const text = search.value.toLowerCase();
    found = data.rows.filter((row, i) =>
      choices.every(([, key, select]) => !select.value || row[key] === select.value) && searched[i].includes(text));
    listed = 0;
    list.replaceChildren();
    extend();
  }

  more.addEventListener("click", () => {
    const first = listed;
    extend();
    list.children[first]?.querySelector("summary").focus();
  });
  const controls = element("div", undefined, "controls");
  for (const [name, , select] of choices) {
    select.addEventListener("change", filter);
    controls.append(labelled(name, select));
  }
  search.addEventListener("input", filter);
  controls.append(labelled("text", search));
  if (data.rows.length) place.append(controls, count, list, more);
  filter();
}

for (const place of document.querySelectorAll(".explorer")) explorer(place);
