// The ranking: sorted, filtered, in pages, and as a file.

const ROWS_A_PAGE = 25;
const COLUMNS = [
  { key: "rank", label: "Rank", number: true, of: (f) => DATA.ranks[f] },
  { key: "name", label: "Column", of: (f) => DATA.names[f] },
  { key: "kept", label: "Kept", of: (f) => (isKept(f, state.k) ? 0 : 1) },
  { key: "score", label: DATA.words.score, number: true, down: true, wide: true, of: (f) => DATA.scores[f] },
  { key: "strength", label: "Strength of links", number: true, down: true, wide: true, of: (f) => DATA.strengths[f] },
  { key: "nearest", label: "Nearest kept", wide: true, of: (f) => { const near = nearestKept(f, state.k); return near === null ? "" : DATA.names[near.feature]; } },
  { key: "similarity", label: "Similarity", number: true, down: true, of: (f) => nearestKept(f, state.k)?.similarity ?? -Infinity },
].filter((column) => column.key !== "strength" || DATA.words.strength);
const collator = new Intl.Collator("en", { numeric: true });
const listing = { sort: "rank", down: false, page: 0, rows: [] };

function listRows() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const status = byId("filter-status").value;
  const tied = new Set(tiesAt(state.k)?.features ?? []);
  const matches = {
    all: () => true,
    kept: (feature) => isKept(feature, state.k),
    other: (feature) => !isKept(feature, state.k),
    tied: (feature) => tied.has(feature),
  }[status];
  const column = COLUMNS.find(({ key }) => key === listing.sort);
  const sign = listing.down ? -1 : 1;
  const rows = DATA.order.filter((feature) => LOWER_NAMES[feature].includes(wanted) && matches(feature));
  const keys = new Map(rows.map((feature) => [feature, column.of(feature)]));
  rows.sort((a, b) => {
    const [left, right] = [keys.get(a), keys.get(b)];
    const order = typeof left === "string" ? collator.compare(left, right) : left < right ? -1 : Number(left > right);
    return sign * order || DATA.ranks[a] - DATA.ranks[b];
  });
  listing.rows = rows;
}

function rowOf(feature) {
  const kept = isKept(feature, state.k);
  const nearest = nearestKept(feature, state.k);
  const cells = {
    rank: [DATA.ranks[feature].toLocaleString("en")],
    name: [nameButton(feature)],
    kept: [element("span", { class: kept ? "status kept" : "status" }, kept ? "Kept" : "–")],
    score: [scoreText(DATA.scores[feature])],
    strength: [scoreText(DATA.strengths[feature])],
    nearest: [nearest === null ? "–" : shortened(DATA.names[nearest.feature], 36)],
    similarity: nearest === null ? ["–"] : [meter(nearest.similarity, true), similarityText(nearest.similarity)],
  };
  const row = element("tr", feature === state.active ? { class: "active" } : {});
  COLUMNS.forEach(({ key, number, wide }) => {
    const kinds = [key, number ? "number" : "", wide ? "wide" : ""].filter(Boolean).join(" ");
    row.append(element("td", { class: kinds }, ...cells[key]));
  });
  return row;
}

function showRanking() {
  const last = Math.max(0, Math.ceil(listing.rows.length / ROWS_A_PAGE) - 1);
  listing.page = Math.min(listing.page, last);
  const first = listing.page * ROWS_A_PAGE;
  const shown = listing.rows.slice(first, first + ROWS_A_PAGE);
  const body = byId("ranking-table").tBodies[0];
  body.replaceChildren(...shown.map(rowOf));
  if (shown.length === 0) body.append(element("tr", {}, element("td", { colspan: String(COLUMNS.length), class: "quiet" }, "No column fits the filter.")));
  byId("filter-count").textContent = counted(listing.rows.length, "column");
  byId("page-label").textContent = `${listing.page + 1} of ${last + 1}`;
  byId("page-before").disabled = listing.page === 0;
  byId("page-after").disabled = listing.page === last;
  byId("download").textContent = `Download CSV (${counted(listing.rows.length, "row")})`;
  [...byId("ranking-table").tHead.rows[0].cells].forEach((head, at) => {
    if (COLUMNS[at].key === listing.sort) head.setAttribute("aria-sort", listing.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
}

// A cell that begins like a formula is led by an apostrophe: spreadsheets run formulas.
function csvCell(value) {
  const text = String(value);
  if (typeof value === "number") return text;
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function csvText() {
  const lines = [["rank", "column", "kept", "score", "strength", "nearest_kept", "similarity"]];
  listing.rows.forEach((feature) => {
    const nearest = nearestKept(feature, state.k);
    lines.push([
      DATA.ranks[feature], DATA.names[feature], isKept(feature, state.k) ? "yes" : "no",
      DATA.scores[feature], DATA.strengths[feature],
      nearest === null ? "" : DATA.names[nearest.feature], nearest === null ? "" : nearest.similarity,
    ]);
  });
  return `\ufeff${lines.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

function download() {
  const link = element("a", { download: "ranking.csv", href: URL.createObjectURL(new Blob([csvText()], { type: "text/csv" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function setUpRanking() {
  const head = byId("ranking-table").tHead.rows[0];
  COLUMNS.forEach(({ key, label, number, wide, down }) => {
    const button = element("button", { type: "button" }, label);
    const kinds = [number ? "number" : "", wide ? "wide" : ""].filter(Boolean).join(" ");
    head.append(element("th", { scope: "col", class: kinds }, button));
    button.addEventListener("click", () => {
      listing.down = listing.sort === key ? !listing.down : Boolean(down);
      Object.assign(listing, { sort: key, page: 0 });
      listRows();
      showRanking();
    });
  });
  const again = () => { listing.page = 0; listRows(); showRanking(); };
  byId("filter").addEventListener("input", again);
  byId("filter-status").addEventListener("change", again);
  byId("page-before").addEventListener("click", () => { listing.page -= 1; showRanking(); });
  byId("page-after").addEventListener("click", () => { listing.page += 1; showRanking(); });
  byId("download").addEventListener("click", download);
  addPanel((keys) => {
    if (keys.has("k")) listRows();
    if (keys.has("k") || keys.has("active")) showRanking();
  });
}
