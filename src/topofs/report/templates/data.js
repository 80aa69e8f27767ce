// The numbers that Python wrote, and what follows from them at a size k.

const DATA = JSON.parse(document.getElementById("data").textContent);
const N = DATA.names.length;
const SAID = DATA.words.said; // the words for a selection, or for a list that is judged
const SCALE = 10000; // similarities are whole ten-thousandths
const HAS_RANKING = byId("ranking") !== null; // the view in a notebook has none
const IN_RANKING = HAS_RANKING ? ", in the ranking below" : "";

const POSITION = new Int32Array(N); // of each feature in the ranking, from 0
DATA.order.forEach((feature, position) => { POSITION[feature] = position; });

const NODE = new Int32Array(N).fill(-1); // of each feature in the network
DATA.nodes.forEach((feature, node) => { NODE[feature] = node; });

// Neighbours of feature f in the filtered graph: ADJACENT[f] = [[feature, weight, confidence, correlation], ...],
// strongest first; none where there is no such graph.
const ADJACENT = Array.from({ length: N }, () => []);
for (let edge = 0; edge < (DATA.graph?.weights.length ?? 0); edge += 1) {
  const [i, j] = [DATA.graph.edges[2 * edge], DATA.graph.edges[2 * edge + 1]];
  const { correlations, confidence } = DATA.graph;
  const link = [DATA.graph.weights[edge] / SCALE, confidence === null ? null : confidence[edge] / SCALE, correlations === null ? null : correlations[edge] / SCALE];
  ADJACENT[i].push([j, ...link]);
  ADJACENT[j].push([i, ...link]);
}
ADJACENT.forEach((list) => list.sort((a, b) => b[1] - a[1] || a[0] - b[0]));

const LOWER_NAMES = DATA.names.map((name) => name.toLowerCase());

function rankOf(feature) {
  return POSITION[feature] + 1;
}

function isSelected(feature, k) {
  return POSITION[feature] < k;
}

// Forced columns come first in the order. Those of a list that is judged are its columns.
function isForced(feature) {
  return !DATA.judged && POSITION[feature] < DATA.forced;
}

// The last change of a feature's nearest selected one before size k, or -1.
function changeAt(feature, k) {
  const node = NODE[feature];
  if (node < 0) return -1;
  let low = DATA.nearest.starts[node];
  let high = DATA.nearest.starts[node + 1];
  const first = low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (DATA.nearest.positions[middle] < k) low = middle + 1;
    else high = middle;
  }
  return low === first ? -1 : low - 1;
}

// The other selected feature most like this one, or null.
function nearestSelected(feature, k) {
  const change = changeAt(feature, k);
  if (change < 0) return null;
  return {
    feature: DATA.order[DATA.nearest.positions[change]],
    similarity: DATA.nearest.values[change] / SCALE,
  };
}

function covered(k) {
  return DATA.share[k] / SCALE;
}

// Features with the score at the cut, where the cut goes through them; else null.
function tiesAt(k) {
  if (DATA.scoreGroups === null || k >= DATA.most) return null;
  const group = DATA.scoreGroups[DATA.order[k - 1]];
  if (group < 0 || group !== DATA.scoreGroups[DATA.order[k]]) return null;
  const features = DATA.order.filter((feature) => DATA.scoreGroups[feature] === group);
  const inside = features.filter((feature) => isSelected(feature, k)).length;
  return { group, features, inside, outside: features.length - inside };
}

// The feature that is not selected and has least in common with a selected one, or null.
function leastCovered(k) {
  let least = null;
  for (const feature of DATA.nodes) {
    if (isSelected(feature, k)) continue;
    const nearest = nearestSelected(feature, k);
    const similarity = nearest === null ? 0 : nearest.similarity;
    if (least === null || similarity < least.similarity) least = { feature, similarity };
  }
  return least;
}

// Who represents whom; without groups, which selected column is nearest.
const REPRESENTATION = DATA.representation;
const SCORE_ADDS = REPRESENTATION?.addsAreScores ?? false; // whether a score is what a column adds
const RELEVANCE = DATA.relevance; // how much each column says about the target, or null
const ISOLATED = new Set(REPRESENTATION?.isolated ?? []);
const NOMINAL = new Set(DATA.nominal ?? []);
let groupsKnown = { k: -1, groups: new Map(), alone: [] };

// The selected feature that represents this one, itself if it is selected, or null.
function representative(feature, k) {
  return isSelected(feature, k) ? { feature, similarity: 1 } : nearestSelected(feature, k);
}

// Features between this one and its representative, nearest first.
function wayTo(feature, k) {
  const way = [];
  if (isSelected(feature, k)) return way;
  for (let change = changeAt(feature, k); change >= 0; change = changeAt(way[way.length - 1], k)) {
    const next = REPRESENTATION.through[change];
    if (next < 0 || way.includes(next)) break;
    way.push(next);
  }
  return way;
}

// Every selected feature with its members [feature, share], the largest share first; and those
// that nobody represents.
function groupsAt(k) {
  if (groupsKnown.k === k) return groupsKnown;
  const groups = new Map(DATA.order.slice(0, k).map((feature) => [feature, []]));
  const alone = [];
  for (const feature of DATA.nodes) {
    if (isSelected(feature, k)) continue;
    const by = nearestSelected(feature, k);
    if (by === null) alone.push(feature);
    else groups.get(by.feature).push([feature, by.similarity]);
  }
  groups.forEach((members) => members.sort((a, b) => b[1] - a[1] || a[0] - b[0]));
  groupsKnown = { k, groups, alone };
  return groupsKnown;
}

function membersOf(feature, k) {
  return groupsAt(k).groups.get(feature) ?? [];
}

// How often a feature was chosen on data drawn anew.
function frequency(feature) {
  return DATA.resampled.frequency[feature] / SCALE;
}

// The near-copies that a selected column stands for, the surest first: [feature, by, share].
function copiesAt(k) {
  const copies = [];
  groupsAt(k).groups.forEach((members, by) => members.forEach(([feature, share]) => {
    if (share >= DATA.copies.from) copies.push([feature, by, share]);
  }));
  return copies.sort((a, b) => b[2] - a[2] || rankOf(a[1]) - rankOf(b[1]) || a[0] - b[0]);
}

// What the columns ranked after the automatic end, up to rank k, are: a text, or none.
function pastEnd(k) {
  if (RELEVANCE !== null) return "";
  if (DATA.end === null || REPRESENTATION === null || k <= DATA.end) return "";
  const past = DATA.order.slice(DATA.end, k).filter((feature) => NODE[feature] >= 0 && isOpen(feature));
  const isolated = past.filter((feature) => ISOLATED.has(feature)).length;
  const kinds = [[past.length - isolated, "second representative"], [isolated, "isolated column"]];
  return kinds.filter(([number]) => number > 0).map(([number, noun]) => counted(number, noun)).join(" and ");
}

// Constraints, random lists and replacements.
const MOST = DATA.most; // how many columns can be selected together
const EXCLUDED = new Set(DATA.excluded);
const REPRESENTS_FROM = 0.25; // below this share a column is not said to be represented

// How many of the first k columns are in the network: random lists are drawn from these.
const NODES_BEFORE = new Int32Array(N + 1);
DATA.order.forEach((feature, position) => { NODES_BEFORE[position + 1] = NODES_BEFORE[position] + (NODE[feature] < 0 ? 0 : 1); });

function isExcluded(feature) {
  return EXCLUDED.has(feature);
}

// Whether the constraints leave room for a column beside those ranked before it.
function isOpen(feature) {
  return POSITION[feature] < MOST;
}

// What random lists of k columns cover: "mean", "low" or "high" of them.
function randomAt(k, which = "mean") {
  const { sizes, [which]: values } = DATA.random;
  const size = NODES_BEFORE[k];
  if (size < 1) return 0;
  const after = sizes.findIndex((known) => known >= size);
  if (after < 0) return values[values.length - 1] / SCALE;
  if (sizes[after] === size) return values[after] / SCALE;
  const [low, high] = [Math.log(sizes[after - 1]), Math.log(sizes[after])];
  const along = (Math.log(size) - low) / (high - low);
  return (values[after - 1] + along * (values[after] - values[after - 1])) / SCALE;
}

function randomText(k) {
  return `random lists: ${percent(randomAt(k))}`;
}

function isRepresented(share) {
  return share >= REPRESENTS_FROM;
}

// Members [feature, share] that a column represents, and those it only shares a little with.
function parted(members) {
  return [members.filter(([, share]) => isRepresented(share)), members.filter(([, share]) => !isRepresented(share))];
}

// "Forced", "Selected", "Excluded" or "Not selected"; of a list "In the list", "Added" and so on.
function statusOf(feature, k) {
  if (isForced(feature)) return "Forced";
  if (isSelected(feature, k)) return isSelected(feature, DATA.k) ? SAID.status : SAID.added;
  return isExcluded(feature) ? "Excluded" : SAID.other;
}

// Stand-ins of a selected column, each [feature, coverage lost, gained, share of it explained], or null.
function alternativesOf(feature) {
  return DATA.alternatives.of[feature] ?? null;
}

// How much of the target a column explains alone, less chance.
function relevanceOf(feature) {
  return RELEVANCE.values[feature] / SCALE;
}

function relevanceText(feature) {
  const value = relevanceOf(feature);
  return value > 0 ? percent(value) : "–";
}

// A share of the coverage in percent, with as many digits as it needs.
function finePercent(share) {
  const value = 100 * Math.abs(share);
  const digits = value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return `${value.toFixed(digits)} %`;
}
