// Who represents whom at a size k, where the rule has groups.

const REPRESENTATION = DATA.representation;
const SCORE_ADDS = REPRESENTATION?.addsAreScores ?? false; // whether a score is what a column adds
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
