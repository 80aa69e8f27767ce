// The ranking: sorted, filtered, in pages, and as a file.

const ROWS_A_PAGE = 25;
const STATUSES = ["Forced", SAID.status, SAID.added, SAID.other, "Excluded"];
const ALL_COLUMNS = {
  rank: { label: "Rank", number: true, of: rankOf },
  name: { label: "Column", of: (f) => DATA.names[f] },
  kind: { label: "Holds", wide: true, of: (f) => (NOMINAL.has(f) ? "names" : "numbers") },
  selected: { label: SAID.status, of: (f) => STATUSES.indexOf(statusOf(f, state.k)) },
  cost: { label: "Cost", number: true, wide: true, of: (f) => DATA.cost[f] },
  score: { label: DATA.words.score, number: true, down: true, wide: !SCORE_ADDS || RELEVANCE !== null, of: (f) => (SCORE_ADDS && !isOpen(f) ? -1 : DATA.scores[f]) },
  adds: { label: "Adds", number: true, down: true, wide: true, of: (f) => (isOpen(f) ? addsOf(f) : -1) },
  strength: { label: "Strength of links", number: true, down: true, wide: true, of: (f) => DATA.strengths[f] },
  nearest: { label: "Nearest selected", wide: true, of: (f) => { const near = nearestSelected(f, state.k); return near === null ? "" : DATA.names[near.feature]; } },
  similarity: { label: "Similarity", number: true, down: true, of: (f) => nearestSelected(f, state.k)?.similarity ?? -Infinity },
  members: { label: "Represents", number: true, down: true, wide: true, of: (f) => (isSelected(f, state.k) ? parted(membersOf(f, state.k))[0].length : -1) },
  by: { label: "Represented by", wide: true, of: (f) => { const by = representative(f, state.k); return by === null ? "" : DATA.names[by.feature]; } },
  share: { label: "Share", number: true, down: true, wide: RELEVANCE !== null, of: (f) => representative(f, state.k)?.similarity ?? -1 },
  chosen: { label: "Chosen", number: true, down: true, wide: true, of: (f) => frequency(f) },
  relevance: { label: RELEVANCE === null ? "" : `Explains ${shortened(RELEVANCE.target, 24)}`, number: true, down: true, of: (f) => relevanceOf(f) },
};
const SHOWN_COLUMNS = REPRESENTATION === null
  ? ["rank", "name", "kind", "selected", "cost", "score", "strength", "nearest", "similarity", "chosen"]
  : ["rank", "name", "kind", "selected", "relevance", "cost", "score", "adds", "members", "by", "share", "chosen"];
const COLUMNS = SHOWN_COLUMNS
  .filter((key) => key !== "strength" || DATA.words.strength)
  .filter((key) => key !== "adds" || !SCORE_ADDS)
  .filter((key) => key !== "cost" || DATA.cost !== null)
  .filter((key) => key !== "kind" || DATA.nominal !== null)
  .filter((key) => key !== "chosen" || DATA.resampled !== null)
  .filter((key) => key !== "relevance" || RELEVANCE !== null)
  .map((key) => ({ key, ...ALL_COLUMNS[key] }));
const HAS_CONSTRAINTS = (DATA.forced > 0 && !DATA.judged) || DATA.excluded.length > 0;
const collator = new Intl.Collator("en", { numeric: true });
const listing = { sort: "rank", down: false, page: 0, rows: [] };

function listRows() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const status = byId("filter-status").value;
  const tied = new Set(tiesAt(state.k)?.features ?? []);
  const matches = {
    all: () => true,
    selected: (feature) => isSelected(feature, state.k),
    other: (feature) => !isSelected(feature, state.k),
    forced: (feature) => isForced(feature),
    excluded: (feature) => isExcluded(feature),
    tied: (feature) => tied.has(feature),
    isolated: (feature) => ISOLATED.has(feature),
    irrelevant: (feature) => relevanceOf(feature) === 0,
    alone: (feature) => NODE[feature] >= 0 && representative(feature, state.k) === null,
  }[status];
  const column = COLUMNS.find(({ key }) => key === listing.sort);
  const sign = listing.down ? -1 : 1;
  const rows = DATA.order.filter((feature) => LOWER_NAMES[feature].includes(wanted) && matches(feature));
  const keys = new Map(rows.map((feature) => [feature, column.of(feature)]));
  rows.sort((a, b) => {
    const [left, right] = [keys.get(a), keys.get(b)];
    const order = typeof left === "string" ? collator.compare(left, right) : left < right ? -1 : Number(left > right);
    return sign * order || rankOf(a) - rankOf(b);
  });
  listing.rows = rows;
}

const CELLS = {
  rank: (feature) => [rankOf(feature).toLocaleString("en")],
  name: (feature) => [nameButton(feature)],
  kind: (feature) => [ALL_COLUMNS.kind.of(feature)],
  selected: (feature) => [statusTag(feature, state.k, "–")],
  cost: (feature) => [scoreText(DATA.cost[feature])],
  score: (feature) => [ownScoreText(feature)],
  adds: (feature) => [addsText(feature)],
  strength: (feature) => [scoreText(DATA.strengths[feature])],
  nearest: (feature) => {
    const nearest = nearestSelected(feature, state.k);
    return [nearest === null ? "–" : shortened(DATA.names[nearest.feature], 36)];
  },
  similarity: (feature) => {
    const nearest = nearestSelected(feature, state.k);
    return nearest === null ? ["–"] : [meter(nearest.similarity, true), similarityText(nearest.similarity)];
  },
  members: (feature) => [isSelected(feature, state.k) ? counted(parted(membersOf(feature, state.k))[0].length, "other") : "–"],
  by: (feature) => {
    const by = representative(feature, state.k);
    if (by === null) return [NODE[feature] < 0 ? "–" : ISOLATED.has(feature) ? "isolated" : "not represented"];
    if (by.feature === feature) return ["itself"];
    const name = shortened(DATA.names[by.feature], 36);
    return isRepresented(by.similarity) ? [name] : [element("span", { class: "quiet" }, `shares ${sharedText(by.similarity)} with ${name}`)];
  },
  share: (feature) => {
    const by = representative(feature, state.k);
    return by === null ? ["–"] : [meter(by.similarity, true), percent(by.similarity)];
  },
  chosen: (feature) => [percent(frequency(feature))],
  relevance: (feature) => [meter(relevanceOf(feature), true), relevanceText(feature)],
};

function rowOf(feature) {
  const row = element("tr", feature === state.active ? { class: "active" } : {});
  COLUMNS.forEach(({ key, number, wide }) => {
    const kinds = [key, number ? "number" : "", wide ? "wide" : ""].filter(Boolean).join(" ");
    row.append(element("td", { class: kinds }, ...CELLS[key](feature)));
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
  const heads = ["rank", "column", DATA.judged ? "in_list" : "selected", SCORE_ADDS ? "adds" : "score", "strength"];
  heads.push(...(REPRESENTATION === null ? ["nearest_selected", "similarity"] : ["represented_by", "share"]));
  if (REPRESENTATION !== null && !SCORE_ADDS) heads.push("adds");
  if (HAS_CONSTRAINTS) heads.push("constraint");
  if (DATA.cost !== null) heads.push("cost");
  if (DATA.nominal !== null) heads.push("holds");
  if (DATA.resampled !== null) heads.push("chosen");
  if (RELEVANCE !== null) heads.push("relevance");
  const lines = listing.rows.map((feature) => {
    const by = REPRESENTATION === null ? nearestSelected(feature, state.k) : representative(feature, state.k);
    const line = [
      rankOf(feature), DATA.names[feature], isSelected(feature, state.k) ? "yes" : "no",
      DATA.scores[feature], DATA.strengths[feature],
      by === null ? "" : DATA.names[by.feature], by === null ? "" : by.similarity,
    ];
    if (REPRESENTATION !== null && !SCORE_ADDS) line.push(addsOf(feature));
    if (HAS_CONSTRAINTS) line.push(isForced(feature) ? "forced" : isExcluded(feature) ? "excluded" : "");
    if (DATA.cost !== null) line.push(DATA.cost[feature]);
    if (DATA.nominal !== null) line.push(ALL_COLUMNS.kind.of(feature));
    if (DATA.resampled !== null) line.push(frequency(feature));
    if (RELEVANCE !== null) line.push(relevanceOf(feature));
    return line;
  });
  return `\ufeff${[heads, ...lines].map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
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

setUpRanking();
