"use strict";
// Sorts, filters and switches levels. All figures are in the page already: nothing is computed here.
const levels = JSON.parse(document.getElementById("levels").textContent);
const boards = [...document.querySelectorAll("section[data-place]")];

// ---- Sort: by a column's keys, as numbers where all are; what has no key comes last.
function sort(table, place, direction) {
  const told = row => row.cells[place].dataset.key;
  for (const body of table.tBodies) {
    const keys = [...body.rows].map(told).filter(key => key !== undefined);
    const key = keys.some(key => Number.isNaN(Number(key))) ? told : row => Number(told(row));
    const rows = [...body.rows].sort((a, b) => {
      if (told(a) === undefined || told(b) === undefined) return (told(a) === undefined) - (told(b) === undefined);
      return direction * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
    });
    body.append(...rows);
  }
  [...table.tHead.rows[0].cells].forEach((head, i) => {
    if (i === place) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
}

function sorted(table) {
  const place = [...table.tHead.rows[0].cells].findIndex(head => head.hasAttribute("aria-sort"));
  if (place >= 0) sort(table, place, table.tHead.rows[0].cells[place].getAttribute("aria-sort") === "ascending" ? 1 : -1);
}

// ---- Levels: other texts and keys in the columns that change.
function show(board, level) {
  const {columns, cells} = levels[board.dataset.place];
  for (const row of board.querySelectorAll("tbody.models tr")) {
    cells[level][row.dataset.row].forEach(([text, key], i) => {
      const cell = row.cells[columns[i]];
      cell.textContent = text;
      if (key === null) delete cell.dataset.key;
      else cell.dataset.key = key;
    });
  }
  board.querySelector("tbody.baselines").hidden = level !== "0"; // they have no levels
  sorted(board.querySelector("table.board"));
}

for (const board of boards) {
  const table = board.querySelector("table.board");
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    // Scores are asked for from the top, all else from the bottom.
    const first = /score|accuracy|reasoning|witness|difference|interval/.test(button.textContent) ? -1 : 1;
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sort(table, place, now === null ? first : now === "ascending" ? -1 : 1);
    });
  });
  const choice = board.querySelector("select.level");
  choice.closest(".controls").hidden = false;
  choice.value = "0";
  choice.addEventListener("change", () => show(board, choice.value));
}

// ---- Filters.
const filters = document.getElementById("filters");

function filter() {
  const chosen = Object.fromEntries(new FormData(filters));
  const asked = chosen.model.trim().toLowerCase();
  let count = 0;
  for (const board of boards) {
    const off = (chosen.dataset && board.dataset.dataset !== chosen.dataset) || (chosen.config && board.dataset.config !== chosen.config);
    board.hidden = Boolean(off);
    for (const row of board.querySelectorAll("tbody.models tr")) {
      const fits = row.cells[1].textContent.toLowerCase().includes(asked)
        && (!chosen.mode || row.dataset.mode === chosen.mode)
        && (!chosen.source || row.dataset.source === chosen.source);
      row.hidden = !fits;
      if (fits && !off) count += 1;
    }
  }
  document.getElementById("shown").textContent = `rows shown: ${count}`;
}

filters.hidden = false;
filters.reset();
filters.addEventListener("input", filter);
filters.addEventListener("submit", event => event.preventDefault());
filter();
