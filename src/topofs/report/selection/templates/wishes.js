// What the user wished for, what random lists cover, and what could stand in for a column.

const MOST = DATA.most; // how many columns can be selected together
const EXCLUDED = new Set(DATA.excluded);
const REPRESENTS_FROM = 0.25; // below this share a column is not said to be represented

// How many of the first k columns are in the network: random lists are drawn from these.
const NODES_BEFORE = new Int32Array(N + 1);
DATA.order.forEach((feature, position) => { NODES_BEFORE[position + 1] = NODES_BEFORE[position] + (NODE[feature] < 0 ? 0 : 1); });

function isExcluded(feature) {
  return EXCLUDED.has(feature);
}

// Whether the wishes leave room for a column beside those ranked before it.
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

// A share of the coverage in percent, with as many digits as it needs.
function finePercent(share) {
  const value = 100 * Math.abs(share);
  const digits = value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return `${value.toFixed(digits)} %`;
}
