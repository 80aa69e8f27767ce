// The groups: every selected column with those it represents.

const GROUPS_A_TIME = 30;
const MEMBERS_AT_FIRST = 60;
let copiesAllShown = false;
const grouping = { open: new Set(), shown: GROUPS_A_TIME };

function memberItem([member, share]) {
  const way = wayTo(member, state.k);
  const by = way.length ? [element("span", { class: "way" }, `by way of ${way.map((feature) => DATA.names[feature]).join(", ")}`)] : [];
  return element("li", {}, element("span", {}, nameButton(member), ...badge(member)), meter(share, true), element("span", { class: "value" }, percent(share)), ...by);
}

// Those that are represented, then, under a line of their own, those with too little in common.
function memberItems(members) {
  const [strong, weak] = parted(members);
  const between = weak.length > 0 ? [element("li", { class: "weak-head" }, "shares less than 25 % with:")] : [];
  return [...strong.map(memberItem), ...between, ...weak.map(memberItem)];
}

function groupText(members) {
  const [strong, weak] = parted(members);
  const texts = [];
  if (strong.length > 0) texts.push(`and ${counted(strong.length, "other")}`);
  if (weak.length > 0) texts.push(`shares less than 25 % with ${counted(weak.length, "other")}`);
  return texts.join("; ");
}

// A long list is cut until its button is pressed.
function memberList(members) {
  const list = element("ul", { class: "group-members" }, ...memberItems(members.slice(0, MEMBERS_AT_FIRST)));
  if (members.length > MEMBERS_AT_FIRST) {
    const more = element("button", { type: "button" }, `Show all ${members.length.toLocaleString("en")}`);
    more.addEventListener("click", () => list.replaceChildren(...memberItems(members)));
    list.append(element("li", { class: "more" }, more));
  }
  return list;
}

function groupItem([feature, members]) {
  const adds = element("span", { class: "quiet" }, `adds ${addsText(feature)}`);
  const name = element("b", {}, DATA.names[feature]);
  if (members.length === 0) return element("div", { class: "group single" }, dot(true, feature), nameButton(feature, name), ...badge(feature), element("span", {}, "itself alone"), adds);
  const group = element("details", { class: "group" });
  group.append(element("summary", {}, dot(true, feature), name, ...badge(feature), element("span", {}, groupText(members)), adds));
  const fill = () => {
    const show = element("button", { type: "button", class: "show" }, "Show in the drawing");
    show.addEventListener("click", () => choose(feature));
    if (group.childElementCount === 1) group.append(memberList(members), show);
  };
  // Listed only when it is opened: there may be thousands.
  if (grouping.open.has(feature)) {
    group.open = true;
    fill();
  }
  group.addEventListener("toggle", () => {
    if (group.open) fill();
    grouping.open[group.open ? "add" : "delete"](feature);
    byId("groups-open").textContent = allOpen() ? "Close all" : "Open all";
  });
  return group;
}

function showGroups() {
  const { groups, alone } = groupsAt(state.k);
  const all = [...groups];
  const items = all.slice(0, grouping.shown).map(groupItem);
  if (all.length > items.length) {
    const more = element("button", { type: "button" }, `Show more (${(all.length - items.length).toLocaleString("en")} left)`);
    more.addEventListener("click", () => { grouping.shown *= 4; showGroups(); });
    items.push(more);
  }
  byId("groups-list").replaceChildren(...items);
  const others = [...groups.values()].reduce((sum, members) => sum + parted(members)[0].length, 0);
  byId("groups-count").textContent = `${groups.size.toLocaleString("en")} ${groups.size === 1 ? SAID.column : SAID.columns} for ${counted(others, "other")}`;
  byId("groups-open").textContent = allOpen() ? "Close all" : "Open all";
  showAlone(alone);
}

function allOpen() {
  const shown = DATA.order.slice(0, Math.min(state.k, grouping.shown));
  return shown.every((feature) => grouping.open.has(feature) || membersOf(feature, state.k).length === 0);
}

// Those that no selected column represents, isolated ones marked.
function showAlone(alone) {
  const box = byId("alone-list");
  box.hidden = alone.length === 0;
  box.querySelector("summary").textContent = `${counted(alone.length, "column")} not represented`;
  const shown = alone.slice(0, 500).map((feature) => element("li", {}, element("span", {}, nameButton(feature), ...badge(feature), ...(ISOLATED.has(feature) ? [element("span", { class: "quiet small" }, " isolated")] : []))));
  if (alone.length > 500) shown.push(element("li", { class: "more" }, `and ${(alone.length - 500).toLocaleString("en")} more${IN_RANKING}`));
  box.querySelector("ul").replaceChildren(...shown);
}

// What is safe to drop: columns of which a selected one says the same.
function showCopies() {
  const box = byId("copies");
  const copies = copiesAt(state.k);
  const others = DATA.nodes.filter((feature) => !isSelected(feature, state.k));
  const first = matchMedia("(max-width: 40rem)").matches ? 4 : 6;
  const most = copiesAllShown || copies.length <= first + 2 ? copies.length : first;
  const items = copies.slice(0, most).map(([feature, by, share]) => element("li", {},
    nameButton(feature, element("b", {}, DATA.names[feature]), ...badge(feature)), ": ", nameButton(by), ` says the same (${percent(share)})`));
  byId("copies-all").hidden = copies.length === items.length;
  byId("copies-all").textContent = `Show all ${copies.length.toLocaleString("en")}`;
  byId("copies-count").textContent = others.length === 0 ? "" : `${copies.length.toLocaleString("en")} of ${others.length === 1 ? "" : "the "}${counted(others.length, "column")} ${others.length === 1 ? "that is" : "that are"} not ${SAID.adjective}`;
  byId("copies-rest").textContent = copiesText(others, copies.length);
  box.replaceChildren(...items);
}

// What is lost with the columns that are no near-copies.
function copiesText(others, number) {
  if (others.length === 0) return `All columns are ${SAID.adjective}: nothing is dropped.`;
  const rest = others.length - number;
  if (rest === 0) return "All others have a near-copy: hardly anything is lost.";
  const parts = others.filter((feature) => {
    const by = nearestSelected(feature, state.k);
    return by !== null && isRepresented(by.similarity) && by.similarity < DATA.copies.from;
  }).length;
  if (number + parts === 0) return `No column has a near-copy, and the ${SAID.columns} say little about the others.`;
  const [some, none] = [parts, rest - parts].map((count) => (count === 0 ? "none" : count.toLocaleString("en")));
  const start = number === 0 ? "No column has a near-copy. Of all" : "Of the remaining";
  return `${start} ${counted(rest, "column")}, ${some} ${parts === 1 ? "is" : "are"} represented in part and ${none} hardly or not at all.`;
}

function setUpGroups() {
  if (DATA.copies !== null) {
    byId("copies-all").addEventListener("click", () => { copiesAllShown = true; showCopies(); });
    addPanel((keys) => {
      if (keys.has("k")) showCopies();
    });
  }
  if (REPRESENTATION === null) return;
  byId("groups-open").addEventListener("click", () => {
    grouping.open = new Set(allOpen() ? [] : DATA.order.slice(0, Math.min(state.k, grouping.shown)));
    showGroups();
  });
  addLazyPanel(byId("groups"), (keys) => {
    if (keys.has("k")) showGroups();
  });
}

setUpGroups();
