// The panel about one column: why it was kept or not, and what it is joined to.

const FIRST_NEIGHBOURS = 12;
let allNeighbours = false;

function tieSentence(feature, k) {
  const ties = tiesAt(k);
  if (ties === null || DATA.groups[feature] !== ties.group || isAsked(feature)) return "";
  const kept = isKept(feature, k);
  const by = DATA.words.ties === "strength"
    ? `their links are ${kept ? "stronger" : "weaker"} in total for this one`
    : `it stands ${kept ? "earlier" : "later"} in the table`;
  return `${counted(ties.features.length, "column")} have the same score at the cut and only ${ties.inside.toLocaleString("en")} fit: ${by}.`;
}

// Sentences, each a list of texts and features; a feature becomes a button.
function reasons(feature, k) {
  if (NODE[feature] < 0) {
    const asked = isAsked(feature) ? "It is kept because you asked for it. " : "";
    return [[`${asked}It holds one value only, so it takes no part in the network.`]];
  }
  const score = scoreWithUnit(DATA.scores[feature]);
  const rank = `rank ${DATA.ranks[feature].toLocaleString("en")} of ${N.toLocaleString("en")}`;
  const nearest = nearestKept(feature, k);
  const sentences = [];
  if (isAsked(feature)) sentences.push([`Kept because you asked for it, whatever its rank (${rank}).`]);
  else if (isKept(feature, k)) sentences.push([`Kept: with ${DATA.words.unit ? score : `a score of ${score}`} it takes ${rank}.`]);
  else sentences.push([`Not kept: it takes ${rank} and ${k.toLocaleString("en")} are kept.`]);
  const tie = tieSentence(feature, k);
  if (tie) sentences.push([tie]);
  if (nearest !== null) {
    sentences.push(nearestSentence(nearest, isKept(feature, k)));
  }
  return sentences;
}

function nearestSentence({ feature, similarity }, kept) {
  const value = `similarity ${similarityText(similarity)}.`;
  if (!DATA.words.likeness) return ["Highest with the kept column ", feature, `: ${value}`];
  if (kept) return [feature, ` is the other kept column most like it: ${value}`];
  if (similarity >= 0.5) return [feature, ` is kept and speaks for it: ${value}`];
  return ["No kept column speaks for it; the nearest is ", feature, `, ${value}`];
}

function fact(label, value) {
  return [element("dt", {}, label), element("dd", {}, value)];
}

function neighbourItem([other, weight]) {
  const kept = isKept(other, state.k);
  const button = nameButton(
    other,
    dot(kept),
    element("span", {}, DATA.names[other], element("span", { class: "visually-hidden" }, kept ? " (kept)" : " (not kept)")),
    meter(weight, kept),
    element("span", { class: "value" }, similarityText(weight)),
  );
  return element("li", {}, button);
}

// Links of weight 0 say nothing about two columns, so they are counted and not listed.
function emptyLinks(number) {
  const [whose, they] = number === 1 ? ["whose weight is 0", "it is"] : ["whose weights are 0", "they are"];
  const below = DATA.words.threshold ? " (a similarity below the average of all pairs counts as 0)" : "";
  return `Not listed: ${counted(number, "link")} ${whose}${below}; ${they} only there to complete the network.`;
}

function showDetails() {
  const body = byId("details-body");
  const feature = state.active;
  if (feature < 0) {
    body.replaceChildren(
      element("p", { class: "quiet" }, "Click a dot, find a column by its name, or choose one in the ranking. You will see why it was kept or not, which columns it is joined to and which kept column speaks for it."),
    );
    return;
  }
  const kept = isKept(feature, state.k);
  const parts = [
    element("h3", {}, DATA.names[feature]),
    element("span", { class: kept ? "status kept" : "status" }, kept ? "Kept" : "Not kept"),
  ];
  for (const sentence of reasons(feature, state.k)) {
    parts.push(element("p", {}, ...sentence.map((part) => (typeof part === "number" ? nameButton(part) : part))));
  }
  const neighbours = ADJACENT[feature];
  const facts = [...fact("Rank", `${DATA.ranks[feature].toLocaleString("en")} of ${N.toLocaleString("en")}`), ...fact(DATA.words.score, scoreText(DATA.scores[feature]))];
  if (DATA.words.strength) facts.push(...fact("Strength of links", scoreText(DATA.strengths[feature])));
  parts.push(element("dl", { class: "facts" }, ...facts));
  if (neighbours.length > 0) {
    const keptOnes = neighbours.filter(([other]) => isKept(other, state.k)).length;
    const alike = neighbours.filter(([, weight]) => weight !== 0);
    const shown = allNeighbours ? alike : alike.slice(0, FIRST_NEIGHBOURS);
    parts.push(element("p", { class: "small quiet" }, `Joined to ${counted(neighbours.length, "column")}, ${keptOnes.toLocaleString("en")} kept${alike.length > 0 ? "; strongest first" : ""}.`));
    if (alike.length > 0) parts.push(element("ul", { class: "neighbours", "aria-label": "Neighbours" }, ...shown.map(neighbourItem)));
    if (shown.length < alike.length) {
      const more = element("button", { type: "button" }, `Show all ${alike.length.toLocaleString("en")}`);
      more.addEventListener("click", () => { allNeighbours = true; showDetails(); });
      parts.push(more);
    }
    if (alike.length < neighbours.length) parts.push(element("p", { class: "small quiet" }, emptyLinks(neighbours.length - alike.length)));
  }
  body.replaceChildren(...parts);
}

function setUpDetails() {
  addPanel((keys) => {
    if (keys.has("active")) allNeighbours = false;
    if (!keys.has("active") && !keys.has("k")) return;
    showDetails();
    if (keys.has("active") && state.active >= 0) {
      byId("announcement").textContent = `${DATA.names[state.active]}: ${isKept(state.active, state.k) ? "kept" : "not kept"}, rank ${DATA.ranks[state.active]}`;
    }
  });
}
