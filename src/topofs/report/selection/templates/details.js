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
    return [[`${asked}It holds ${NOMINAL.has(feature) ? "one value, or names that hardly repeat" : "one value only"}, so it takes no part in the network.`]];
  }
  if (STANDING !== null) return standingReasons(feature, k);
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

// Who stands for a column, by which way, and for whom it stands.
function standingReasons(feature, k) {
  const rank = `rank ${DATA.ranks[feature].toLocaleString("en")} of ${N.toLocaleString("en")}`;
  const adds = `adds ${gainText(feature)} ${DATA.scores[feature] > 1 ? "columns' worth" : "of a column"}`;
  const sentences = [];
  if (isAsked(feature)) sentences.push([`Kept because you asked for it, whatever its rank (${rank}).`]);
  else if (isKept(feature, k)) sentences.push([`Kept: at ${rank} it ${adds}.`]);
  else sentences.push([`Not kept: it takes ${rank} and ${k.toLocaleString("en")} are kept. Beyond those before it, it ${adds}.`]);
  if (ISOLATED.has(feature)) sentences.push([`It stands alone: it has no link ${DATA.words.above}, so no other column stands for it.`]);
  else if (isKept(feature, k)) {
    const n = membersOf(feature, k).length;
    sentences.push([n === 0 ? "It stands for itself alone: others stand better for the columns around it." : `It stands for itself and for ${counted(n, "other column")}.`]);
  } else sentences.push(speakerSentence(feature, k));
  return sentences;
}

function speakerSentence(feature, k) {
  const speaker = nearestKept(feature, k);
  if (speaker === null) return ["No kept column stands for it; keep more columns to have it stood for."];
  const way = wayTo(feature, k).flatMap((step, at) => [at === 0 ? ", by way of " : ", ", step]);
  return [speaker.feature, ` stands for it and explains ${percent(speaker.similarity)} of its variance`, ...way, "."];
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
  if (CONFIDENCE !== null) button.append(element("span", { class: "value", title: confidenceText(state.active, other) }, percent(confidence(state.active, other))));
  return element("li", {}, button);
}

// Links of weight 0 say nothing about two columns, so they are counted and not listed.
function emptyLinks(number) {
  const [whose, they] = number === 1 ? ["whose weight is 0", "it is"] : ["whose weights are 0", "they are"];
  const below = DATA.words.threshold ? " (a similarity below the average of all pairs counts as 0)" : "";
  return `Not listed: ${counted(number, "link")} ${whose}${below}; ${they} only there to complete the network.`;
}

function factsOf(feature) {
  const facts = [...fact("Rank", `${DATA.ranks[feature].toLocaleString("en")} of ${N.toLocaleString("en")}`), ...fact(DATA.words.score, STANDING === null ? scoreText(DATA.scores[feature]) : gainText(feature))];
  if (DATA.words.strength) facts.push(...fact("Strength of links", scoreText(DATA.strengths[feature])));
  if (DATA.nominal !== null) facts.push(...fact("Holds", NOMINAL.has(feature) ? "names" : "numbers"));
  if (DATA.resampled !== null) facts.push(...fact("Chosen", `in ${percent(frequency(feature))} of ${counted(DATA.resampled.n, "draw")}`));
  return element("dl", { class: "facts" }, ...facts);
}

// The columns that the chosen one stands for.
function memberParts(feature) {
  const members = STANDING !== null && isKept(feature, state.k) ? membersOf(feature, state.k) : [];
  if (members.length === 0) return [];
  const shown = members.slice(0, FIRST_NEIGHBOURS).map(([member, share]) => element("li", {}, nameButton(
    member,
    dot(false),
    element("span", {}, DATA.names[member]),
    meter(share, true),
    element("span", { class: "value" }, percent(share)),
  )));
  const more = members.length > shown.length ? `, the first ${shown.length} of ${members.length.toLocaleString("en")}; all are in the groups below` : "";
  return [
    element("p", { class: "small quiet" }, `Stands for${more}:`),
    element("ul", { class: "neighbours stood-for", "aria-label": "Columns it stands for" }, ...shown),
  ];
}

function showDetails() {
  const body = byId("details-body");
  const feature = state.active;
  if (feature < 0) {
    body.replaceChildren(
      element("p", { class: "quiet" }, "Click a dot, find a column by its name, or choose one in the ranking. You will see why it was kept or not, which columns it is joined to and which kept column stands for it."),
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
  parts.push(factsOf(feature), ...memberParts(feature));
  if (neighbours.length > 0) {
    const keptOnes = neighbours.filter(([other]) => isKept(other, state.k)).length;
    const alike = neighbours.filter(([, weight]) => weight !== 0);
    const shown = allNeighbours ? alike : alike.slice(0, FIRST_NEIGHBOURS);
    const again = CONFIDENCE === null ? "" : " Percent: the draws in which the link came back.";
    parts.push(element("p", { class: "small quiet" }, `Joined to ${counted(neighbours.length, "column")}, ${keptOnes.toLocaleString("en")} kept${alike.length > 0 ? "; strongest first" : ""}.${again}`));
    const kind = CONFIDENCE === null ? "neighbours" : "neighbours with-confidence";
    if (alike.length > 0) parts.push(element("ul", { class: kind, "aria-label": "Neighbours" }, ...shown.map(neighbourItem)));
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
