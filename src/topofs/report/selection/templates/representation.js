// Who stands for whom at a size k, where columns were chosen by coverage.

const STANDING = DATA.standing;
const ISOLATED = new Set(STANDING === null ? [] : STANDING.isolated);
const NOMINAL = new Set(DATA.nominal ?? []);
let groupsKnown = { k: -1, groups: new Map(), unspoken: [] };

// The kept feature that stands for this one, itself if it is kept, or null.
function representative(feature, k) {
  return isKept(feature, k) ? { feature, similarity: 1 } : nearestKept(feature, k);
}

// Features between this one and the one that stands for it, nearest first.
function wayTo(feature, k) {
  const way = [];
  if (isKept(feature, k)) return way;
  for (let change = changeAt(feature, k); change >= 0; change = changeAt(way[way.length - 1], k)) {
    const next = STANDING.through[change];
    if (next < 0 || way.includes(next)) break;
    way.push(next);
  }
  return way;
}

// Every kept feature with its members [feature, share], strongest first; and those that are
// joined to others but not stood for.
function groupsAt(k) {
  if (groupsKnown.k === k) return groupsKnown;
  const groups = new Map(DATA.order.slice(0, k).map((feature) => [feature, []]));
  const unspoken = [];
  for (const feature of DATA.nodes) {
    if (isKept(feature, k)) continue;
    const speaker = nearestKept(feature, k);
    if (speaker !== null) groups.get(speaker.feature).push([feature, speaker.similarity]);
    else if (!ISOLATED.has(feature)) unspoken.push(feature);
  }
  groups.forEach((members) => members.sort((a, b) => b[1] - a[1] || a[0] - b[0]));
  groupsKnown = { k, groups, unspoken };
  return groupsKnown;
}

function membersOf(feature, k) {
  return groupsAt(k).groups.get(feature) ?? [];
}

// How often a feature was chosen on data drawn anew.
function frequency(feature) {
  return DATA.resampled.frequency[feature] / SCALE;
}
