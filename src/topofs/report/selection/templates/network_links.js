// The links of the drawing: the one under the pointer, and the way to the one that
// represents a column.

const CONFIDENCE = DATA.resampled === null ? null : new Map(DATA.resampled.confidence.map((share, edge) => [linkKey(DATA.edges[2 * edge], DATA.edges[2 * edge + 1]), share / SCALE]));

function linkKey(i, j) {
  return Math.min(i, j) * N + Math.max(i, j);
}

// How often a link came back on data drawn anew.
function confidence(i, j) {
  return CONFIDENCE.get(linkKey(i, j)) ?? 0;
}

function confidenceText(i, j) {
  return `came back in ${percent(confidence(i, j))} of the draws`;
}

// The drawn link nearest to a point, within reach, or -1.
function linkAt(x, y, reach) {
  let best = -1;
  let least = reach * reach;
  for (let edge = 0; edge < DATA.weights.length; edge += 1) {
    const [i, j] = [PLACE[DATA.edges[2 * edge]], PLACE[DATA.edges[2 * edge + 1]]];
    if (i < 0 || j < 0) continue;
    const [ax, ay] = [view.x + PLACES[2 * i] * view.scale, view.y + PLACES[2 * i + 1] * view.scale];
    const [bx, by] = [view.x + PLACES[2 * j] * view.scale, view.y + PLACES[2 * j + 1] * view.scale];
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
    const distance = (ax + along * (bx - ax) - x) ** 2 + (ay + along * (by - ay) - y) ** 2;
    if (distance < least) {
      least = distance;
      best = edge;
    }
  }
  return best;
}

// Say what is known of a link; only where links have more to say than their thickness.
function showLink(x, y, reach) {
  const edge = CONFIDENCE === null ? -1 : linkAt(x, y, reach);
  const tooltip = byId("tooltip");
  tooltip.hidden = edge < 0;
  if (edge < 0) return;
  const [i, j] = [DATA.edges[2 * edge], DATA.edges[2 * edge + 1]];
  showTooltip(tooltip, canvas.offsetLeft + x, canvas.offsetTop + y, [
    `${DATA.names[i]} – ${DATA.names[j]}`,
    `Similarity ${similarityText(DATA.weights[edge] / SCALE)}, ${confidenceText(i, j)}`,
  ]);
}

// The features to show with one: its representative and the way to it, or those it
// represents; then its neighbours.
function company(feature) {
  const near = ADJACENT[feature].map(([other]) => other);
  if (REPRESENTATION === null) return near;
  if (isSelected(feature, state.k)) return [...membersOf(feature, state.k).map(([member]) => member), ...near];
  const by = nearestSelected(feature, state.k);
  return by === null ? near : [by.feature, ...wayTo(feature, state.k), ...near];
}

// A bow between two places: what is no link of the network does not look like one.
function drawBow(context, [ax, ay], [bx, by]) {
  context.moveTo(ax, ay);
  context.quadraticCurveTo((ax + bx) / 2 + (by - ay) / 5, (ay + by) / 2 - (bx - ax) / 5, bx, by);
}

// The way from a column to its representative, or from those it represents to it.
function drawWays(context, focus) {
  if (REPRESENTATION === null) return;
  const from = isSelected(focus, state.k) ? membersOf(focus, state.k).map(([member]) => member) : [focus];
  context.strokeStyle = colors.selected;
  context.lineWidth = 2.5;
  context.beginPath();
  for (const feature of from) {
    const by = nearestSelected(feature, state.k);
    if (by === null) continue;
    const way = [feature, ...wayTo(feature, state.k), by.feature].filter((place) => PLACE[place] >= 0);
    const linked = way.length !== 2 || ADJACENT[feature].some(([other]) => other === by.feature);
    if (linked) way.forEach((place, at) => context[at === 0 ? "moveTo" : "lineTo"](...onScreen(place)));
    else drawBow(context, ...way.map(onScreen));
  }
  context.stroke();
}
