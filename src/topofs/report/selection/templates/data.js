// The numbers that Python wrote, and what follows from them at a size k.

const DATA = JSON.parse(document.getElementById("data").textContent);
const N = DATA.names.length;
const SAID = DATA.words.said; // the words for a selection, or for a list that is judged
const SCALE = 10000; // similarities are whole ten-thousandths

const POSITION = new Int32Array(N); // of each feature in the ranking, from 0
DATA.order.forEach((feature, position) => { POSITION[feature] = position; });

const NODE = new Int32Array(N).fill(-1); // of each feature in the network
DATA.nodes.forEach((feature, node) => { NODE[feature] = node; });

const PLACE = new Int32Array(N).fill(-1); // of each feature among those drawn
DATA.drawn.forEach((feature, place) => { PLACE[feature] = place; });

// Neighbours of feature f: ADJACENT[f] = [[feature, weight], ...], strongest first.
const ADJACENT = Array.from({ length: N }, () => []);
for (let edge = 0; edge < DATA.weights.length; edge += 1) {
  const i = DATA.edges[2 * edge];
  const j = DATA.edges[2 * edge + 1];
  const weight = DATA.weights[edge] / SCALE;
  ADJACENT[i].push([j, weight]);
  ADJACENT[j].push([i, weight]);
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
