// The panel about one column: why it is selected or not, and what could take its place.

const FIRST_NEIGHBOURS = 12;
let allNeighbours = false;

function tieSentence(feature, k) {
  const ties = tiesAt(k);
  if (ties === null || DATA.scoreGroups[feature] !== ties.group) return "";
  return `${counted(ties.features.length, "column")} have the same score at the cut and only ${ties.inside.toLocaleString("en")} fit${ties.inside === 1 ? "s" : ""}: ${DATA.words.ties} decided.`;
}

function rankText(feature) {
  return `rank ${rankOf(feature).toLocaleString("en")} of ${N.toLocaleString("en")}`;
}

// Sentences, each a list of texts and features; a feature becomes a button.
function reasons(feature, k) {
  const forced = isForced(feature) ? "Forced: it is selected because you asked for it. " : "";
  if (NODE[feature] < 0) {
    return [[`${forced}It takes no part: ${DATA.reasons[feature]}.`]];
  }
  if (REPRESENTATION !== null) return representationReasons(feature, k, forced);
  const score = scoreWithUnit(DATA.scores[feature]);
  const nearest = nearestSelected(feature, k);
  const sentences = [];
  if (forced) sentences.push([forced]);
  else if (isSelected(feature, k)) sentences.push([`${statusOf(feature, k)}: with ${DATA.words.unit ? score : `a score of ${score}`} it takes ${rankText(feature)}.`]);
  else sentences.push([notSelectedText(feature, k)]);
  const tie = tieSentence(feature, k);
  if (tie) sentences.push([tie]);
  if (nearest !== null) {
    sentences.push(nearestSentence(nearest, isSelected(feature, k)));
  }
  return sentences;
}

function notSelectedText(feature, k) {
  if (isExcluded(feature)) return `Excluded: it cannot be ${SAID.added.toLowerCase()} because you asked for that.`;
  if (!isOpen(feature)) return `${SAID.other}: the constraints leave no room for it beside the columns ranked before it.`;
  return `${SAID.other}: it takes ${rankText(feature)} and ${k.toLocaleString("en")} are ${k > DATA.k ? SAID.added.toLowerCase() : SAID.adjective}.`;
}

// Who represents a column, by which way, and whom it represents.
function representationReasons(feature, k, forced) {
  const worth = `as much variance as ${addsText(feature)} ${addsText(feature) === "1.00" ? "column has" : "columns have"}`;
  const sentences = [];
  if (forced) sentences.push([`${forced}It adds ${worth}.`]);
  else if (isSelected(feature, k)) {
    const turn = rankOf(feature) === 1 && !DATA.judged ? "first: alone it explains" : `at rank ${rankOf(feature).toLocaleString("en")}: it adds`;
    sentences.push([`${statusOf(feature, k)} ${turn} ${worth}.`]);
  } else sentences.push([`${notSelectedText(feature, k)}${isOpen(feature) ? ` There it adds ${worth}.` : ""}`]);
  if (ISOLATED.has(feature)) sentences.push([`It is isolated: it has no link ${DATA.words.above}, so no other column represents it.`]);
  else if (isSelected(feature, k)) {
    const [members, weak] = parted(membersOf(feature, k));
    const itself = members.length > 0 ? `It represents itself and ${counted(members.length, "other column")}` : "It represents itself alone";
    const why = members.length + weak.length > 0 ? "" : ": others represent the columns around it better";
    const later = !forced && addsOf(feature) > members.length + weak.length + 1 ? " Others that it represented at first are represented better by columns selected later." : "";
    sentences.push([`${itself}${why}.${later}${weak.length > 0 ? ` It shares less than 25 % with ${counted(weak.length, "other")}.` : ""}`]);
  } else sentences.push(representativeSentence(feature, k));
  if (RELEVANCE !== null) sentences.push([relevanceSentence(feature)]);
  return sentences;
}

function relevanceSentence(feature) {
  if (relevanceOf(feature) > 0) return `Alone it explains ${percent(relevanceOf(feature))} of ${RELEVANCE.target}.`;
  return `It says no more about ${RELEVANCE.target} than chance.`;
}

function representativeSentence(feature, k) {
  const by = nearestSelected(feature, k);
  if (by === null) return [`No ${SAID.column} represents it.`];
  const way = wayTo(feature, k).flatMap((step, at) => [at === 0 ? ", by way of " : ", ", step]);
  if (!isRepresented(by.similarity)) return [`It shares ${sharedText(by.similarity)} with `, by.feature, ...way, ": too little to call it represented."];
  return [by.feature, ` represents it and explains ${percent(by.similarity)} of its variance`, ...way, "."];
}

function nearestSentence({ feature, similarity }, selected) {
  const value = `similarity ${similarityText(similarity)}.`;
  if (!DATA.words.alike) return ["Highest with the selected column ", feature, `: ${value}`];
  if (selected) return [feature, ` is the other selected column most like it: ${value}`];
  return [feature, ` is the selected column most like it: ${value}`];
}

function fact(label, value) {
  return [element("dt", {}, label), element("dd", {}, value)];
}

// The weight of a link; red, with a word for screen readers, if the correlation is negative.
function linkValue(weight, correlation) {
  if (correlation === null) return element("span", { class: "value" }, similarityText(weight));
  const title = `correlation ${correlation.toFixed(2).replace("-", "−")}`;
  if (correlation >= 0) return element("span", { class: "value", title }, similarityText(weight));
  return element("span", { class: "value negative", title }, similarityText(weight), element("span", { class: "visually-hidden" }, " (negative)"));
}

function neighbourItem([other, weight, confidence, correlation]) {
  const selected = isSelected(other, state.k);
  const button = nameButton(
    other,
    dot(selected, other),
    element("span", {}, DATA.names[other], element("span", { class: "visually-hidden" }, ` (${statusOf(other, state.k).toLowerCase()})`)),
    meter(weight, selected),
    linkValue(weight, correlation),
  );
  if (confidence !== null) button.append(element("span", { class: "value", title: `came back in ${percent(confidence)} of the draws` }, percent(confidence)));
  return element("li", {}, button);
}

// Links of weight 0 say nothing about two columns, so they are counted and not listed.
function emptyLinks(number) {
  const [whose, they] = number === 1 ? ["whose weight is 0", "it is"] : ["whose weights are 0", "they are"];
  const below = DATA.words.cut ? " (a similarity below the average of all pairs counts as 0)" : "";
  return `Not listed: ${counted(number, "link")} ${whose}${below}; ${they} only there to complete the network.`;
}

function factsOf(feature) {
  const facts = [...fact("Rank", `${rankOf(feature).toLocaleString("en")} of ${N.toLocaleString("en")}`), ...fact(DATA.words.score, ownScoreText(feature))];
  if (REPRESENTATION !== null && !SCORE_ADDS) facts.push(...fact("Adds", addsText(feature)));
  if (DATA.words.strength) facts.push(...fact("Strength of links", scoreText(DATA.strengths[feature])));
  if (RELEVANCE !== null) facts.push(...fact(`Explains ${RELEVANCE.target}`, relevanceText(feature)));
  if (DATA.cost !== null) facts.push(...fact("Cost", scoreText(DATA.cost[feature])));
  if (DATA.nominal !== null) facts.push(...fact("Holds", NOMINAL.has(feature) ? "names" : "numbers"));
  if (DATA.resampled !== null) facts.push(...fact("Chosen", `in ${percent(frequency(feature))} of ${counted(DATA.resampled.n, "draw")}`));
  return element("dl", { class: "facts" }, ...facts);
}

// The columns that the chosen one represents.
function memberParts(feature) {
  const members = REPRESENTATION !== null && isSelected(feature, state.k) ? membersOf(feature, state.k) : [];
  if (members.length === 0) return [];
  const shown = members.slice(0, FIRST_NEIGHBOURS);
  const item = ([member, share]) => element("li", {}, nameButton(
    member,
    dot(false, member),
    element("span", {}, DATA.names[member]),
    meter(share, true),
    element("span", { class: "value" }, percent(share)),
  ));
  const more = members.length > shown.length ? `, the first ${shown.length} of ${members.length.toLocaleString("en")}; all are in the groups below` : "";
  const [strong, weak] = parted(shown);
  const parts = [];
  if (strong.length > 0) {
    parts.push(element("p", { class: "small quiet" }, `Represents${more}:`));
    parts.push(element("ul", { class: "neighbours represented", "aria-label": "Columns it represents" }, ...strong.map(item)));
  }
  if (weak.length > 0) {
    parts.push(element("p", { class: "small quiet" }, `Shares less than 25 % with${strong.length > 0 ? "" : more}:`));
    parts.push(element("ul", { class: "neighbours represented", "aria-label": "Columns it shares little with" }, ...weak.map(item)));
  }
  return parts;
}

// What could take the place of the chosen column, at the size of the run.
function alternativeParts(feature) {
  if (REPRESENTATION === null || !isSelected(feature, Math.min(state.k, DATA.k)) || NODE[feature] < 0) return [];
  const found = alternativesOf(feature);
  if (found === null) {
    const beyond = POSITION[feature] >= DATA.alternatives.most;
    return beyond ? [element("p", { class: "small quiet" }, `Replacements were looked for only for the first ${DATA.alternatives.most} selected columns.`)] : [];
  }
  const at = state.k === DATA.k ? "" : `, with ${counted(DATA.k, "column")} ${SAID.adjective}`;
  if (found.length === 0) return [element("p", { class: "small quiet" }, `Replacements${at}: none that may be selected shares more than chance with it.`)];
  const items = found.map(([other, lost, gained, share]) => element("li", {}, nameButton(
    other,
    dot(isSelected(other, state.k), other),
    element("span", {}, DATA.names[other], element("span", { class: "quiet keeps" }, `${percent(share)} of it stays explained; ${changeText(lost, gained)}`)),
  )));
  const better = found.some(([, lost, gained]) => gained - lost >= 5e-5);
  return [
    element("p", { class: "small quiet" }, `If this column is not available${at}, one of these can take its place:`),
    element("ul", { class: "neighbours alternatives", "aria-label": "Replacements" }, ...items),
    ...(better && DATA.words.refine ? [element("p", { class: "small" }, DATA.words.refine)] : []),
  ];
}

// What a replacement does to the coverage of the whole list.
function changeText(lost, gained) {
  const change = gained - lost;
  if (Math.abs(change) < 5e-5) return "the coverage stays the same";
  return `${finePercent(change)} ${change > 0 ? "more" : "less"} coverage`;
}

function showDetails() {
  const body = byId("details-body");
  const feature = state.active >= 0 ? state.active : DATA.order[0];
  const hint = `${SAID.first} For another one, click its dot${HAS_RANKING ? ", search for its name, or choose it in the ranking below" : " or search for its name"}.`;
  const parts = [
    ...(state.active >= 0 ? [] : [element("p", { class: "small quiet" }, hint)]),
    element("h3", {}, DATA.names[feature]),
    statusTag(feature, state.k),
  ];
  for (const sentence of reasons(feature, state.k)) {
    parts.push(element("p", {}, ...sentence.map((part) => (typeof part === "number" ? nameButton(part) : part))));
  }
  const neighbours = ADJACENT[feature];
  parts.push(factsOf(feature), ...alternativeParts(feature), ...memberParts(feature));
  if (neighbours.length > 0) {
    const selectedOnes = neighbours.filter(([other]) => isSelected(other, state.k)).length;
    const alike = neighbours.filter(([, weight]) => weight !== 0);
    const shown = allNeighbours ? alike : alike.slice(0, FIRST_NEIGHBOURS);
    const certain = DATA.graph.confidence !== null;
    const again = certain ? " Percent: the draws in which the link came back." : "";
    parts.push(element("p", { class: "small quiet" }, `In the graph it is joined to ${counted(neighbours.length, "column")}, ${selectedOnes.toLocaleString("en")} ${SAID.adjective}${alike.length > 0 ? "; strongest first" : ""}.${again}`));
    const kind = certain ? "neighbours with-confidence" : "neighbours";
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
      byId("announcement").textContent = `${DATA.names[state.active]}: ${statusOf(state.active, state.k).toLowerCase()}, rank ${rankOf(state.active)}`;
    }
  });
}

setUpDetails();
