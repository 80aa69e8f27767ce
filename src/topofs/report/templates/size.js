// The slider over the number of columns, the figures beside it and the list of names.

const MOST_CHIPS = 100;

function showFigures() {
  const k = state.k;
  byId("covered").textContent = percent(covered(k));
  byId("covered-detail").textContent = randomText(k);
  byId("share-selected").textContent = percent(k / N);
  byId("share-selected-detail").textContent = `${k.toLocaleString("en")} of ${N.toLocaleString("en")}`;
  if (REPRESENTATION === null) showTies(k);
  else showRepresentation(k);
  showSteps(k);
}

// What one column more adds, and what one less loses.
function showSteps(k) {
  const more = k < MOST ? DATA.order[k] : -1;
  const less = k > Math.max(1, DATA.forced) ? DATA.order[k - 1] : -1;
  const worth = (feature, from, to) => (REPRESENTATION === null ? `${finePercent(covered(to) - covered(from))} of coverage` : addsText(feature));
  const none = k < N ? "none, by the constraints" : "none is left";
  const forced = DATA.forced > 0 && k === DATA.forced ? SAID.fewest : "none, one must stay";
  const past = pastEnd(k);
  byId("past-end").textContent = past === "" ? "" : `Past the automatic end at ${DATA.end.toLocaleString("en")}: ${past}.`;
  byId("one-more").replaceChildren("One more: ", ...(more < 0 ? [none] : ["+ ", nameButton(more), ` adds ${worth(more, k, k + 1)}`]));
  byId("one-less").replaceChildren("One less: ", ...(less < 0 ? [forced] : ["− ", nameButton(less), ` loses ${worth(less, k - 1, k)}`]));
}

function showTies(k) {
  const ties = tiesAt(k);
  const least = leastCovered(k);
  byId("tied").textContent = ties === null ? "none" : String(ties.features.length);
  byId("tied-detail").textContent = ties === null ? "" : `${ties.inside.toLocaleString("en")} of them selected`;
  byId("least").textContent = least === null ? "–" : similarityText(least.similarity);
  byId("least-detail").textContent = least === null ? "" : DATA.names[least.feature];
  byId("least-detail").title = least === null ? "" : DATA.names[least.feature];
}

function showRepresentation(k) {
  const next = k < MOST ? DATA.order[k] : -1;
  const { alone } = groupsAt(k);
  const isolated = alone.filter((feature) => ISOLATED.has(feature)).length;
  byId("next").textContent = next < 0 ? "–" : addsText(next);
  byId("next-detail").textContent = next < 0 ? "" : addsOf(next) === 1 ? "column" : "columns";
  byId("alone").textContent = alone.length.toLocaleString("en");
  byId("alone-detail").textContent = isolated > 0 ? `${isolated.toLocaleString("en")} isolated` : "";
}

function showChips() {
  const shown = DATA.order.slice(0, Math.min(state.k, MOST_CHIPS));
  const items = shown.map((feature) => {
    const button = element("button", { type: "button", "aria-pressed": String(feature === state.active) }, DATA.names[feature], ...badge(feature));
    button.addEventListener("click", () => choose(feature));
    return element("li", {}, button);
  });
  if (state.k > shown.length) {
    items.push(element("li", { class: "more" }, `and ${(state.k - shown.length).toLocaleString("en")} more${IN_RANKING}`));
  }
  byId("selected").replaceChildren(...items);
}

// What stands at the top is about the number that is shown, not only about that of the run.
const OWN_WORDS = { headline: byId("headline").textContent, lead: byId("lead").textContent };

function showHeadline(k) {
  const own = k === DATA.k;
  for (const part of [byId("headline"), byId("lead")]) {
    // Fewer lines would move all that stands below.
    part.style.minHeight = own ? "" : part.style.minHeight || `${part.offsetHeight}px`;
  }
  byId("headline").textContent = own ? OWN_WORDS.headline : `${k.toLocaleString("en")} of ${counted(N, "column")} tried`;
  byId("lead").textContent = own ? OWN_WORDS.lead : `They ${REPRESENTATION === null ? "cover" : "represent"} ${percent(covered(k))} of the variance of all; ${randomText(k)}. ${SAID.run} ${DATA.k.toLocaleString("en")}.`;
}

// In a notebook, the call that gives the selection that is shown.
function showCode(k) {
  const code = byId("code");
  if (code !== null) code.textContent = `.at(${k})`;
}

function setUpSize() {
  const slider = byId("size");
  const number = byId("size-number");
  slider.addEventListener("input", () => setSize(slider.valueAsNumber));
  number.addEventListener("change", () => {
    setSize(number.valueAsNumber);
    number.value = state.k;
  });
  byId("size-reset").addEventListener("click", () => {
    setSize(DATA.k);
    slider.focus({ preventScroll: true });
  });
  if (navigator.clipboard) {
    const copy = byId("copy");
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      const names = DATA.order.slice(0, state.k).map((feature) => DATA.names[feature]);
      try {
        await navigator.clipboard.writeText(JSON.stringify(names));
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Not allowed here";
      }
      setTimeout(() => { copy.textContent = "Copy names"; }, 1500);
    });
  }
  addPanel((keys) => {
    if (keys.has("k")) {
      slider.value = state.k;
      number.value = state.k;
      slider.setAttribute("aria-valuetext", `${state.k} columns, ${percent(covered(state.k))} covered, ${randomText(state.k)}`);
      byId("size-reset").hidden = state.k === DATA.k;
      showFigures();
      showHeadline(state.k);
      showCode(state.k);
    }
    if (keys.has("k") || keys.has("active")) showChips();
  });
}

setUpSize();
