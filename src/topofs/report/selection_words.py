"""The sentences of a selection's page; headings and captions are in its template.

All sentences are plain text. The terms of the fit provide the words on measure, graph and rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.constraints import size_of
from topofs.rules.base import ScoreWords
from topofs.selection.compatibility import graph_for
from topofs.similarity.relevance import relevance_of
from topofs.text import counted, fine_percent, listed, percent

if TYPE_CHECKING:
    from topofs.report.selection_summary import SelectionSummary
    from topofs.typing import Ints

# After Nogueira et al. (2018): above 0.75 excellent agreement, below 0.4 poor.
_EXCELLENT, _POOR = 0.75, 0.4

# Least share that a selected column explains of a column that is safe to drop.
_NEAR_COPY = 0.9

# Least gain in coverage of a replacement in a note.
_WORTH_A_NOTE = 5e-5

# Words for a selection, and for a given list.
_SAID = {
    "adjective": ("selected", "in the list"),
    "status": ("Selected", "In the list"),
    "other": ("Not selected", "Not in the list"),
    "added": ("Selected", "Added"),
    "column": ("selected column", "column of the list"),
    "columns": ("selected columns", "columns of the list"),
    "slider": ("Columns to select", "Columns, with those added"),
    "about": ("Why this column is selected, or not", "About one column"),
    "first": ("Shown is the column selected first.", "Shown is the first column of the list."),
    "run": ("The run selected", "The list has"),
    "fewest": ("none, all are forced", "none, all are in the list"),
}

# The name of a score with `MinShare`.
_REDUNDANCY_SCORE = ScoreWords(
    "Explains anew",
    "the number of columns that none before it explains",
    "columns explained anew",
    unit="column",
    axis="columns, best first",
)


class Words:
    """The sentences of the page of a selection.

    Sentences that do not apply are empty: `end` and `rest` without an automatic end, `refine`
    if there is no exchange to offer, `stability` if it was not computed. `near_copy` is the
    share from which a column is safe to drop, None if the similarity does not tell. `said` has
    the words for a selection or for a given list.
    """

    def __init__(self, summary: SelectionSummary) -> None:
        self.summary, self.selector = summary, summary.selector
        self.measure, self.rule = self.selector.similarity_, self.selector.rule_
        size = self.selector.n_features_to_select
        self.graph = graph_for(self.selector.graph, self.rule, size)
        self.size = size_of(size)
        self.redundant_from = self.size.redundant_from
        self.together = self.rule.explains_together and self.redundant_from is None
        self.n_nodes, self.n_features = len(self.selector.nodes_), len(summary.names)
        why, n_samples = self.rule.end_words, summary.n_samples
        if self.selector.relevance_target:
            why = "no other column would add more about the target than chance gives"
        self.where = f", where {why}" if why else ""
        self.rows = counted(n_samples, "row") if n_samples else ""
        self.said = {what: words[summary.judged] for what, words in _SAID.items()}
        self.score = self.rule.words if self.redundant_from is None else _REDUNDANCY_SCORE
        # The target of which relevance is a share; empty if it plays no part.
        self.target = self.selector.relevance_target or ""
        self.share = percent(float(summary.share[summary.n_selected]))
        self.share_selected = percent(summary.n_selected / self.n_features)

    @property
    def nothing_to_choose_by(self) -> bool:
        """Whether all columns are isolated."""
        all_isolated = len(self.summary.isolated) == self.n_nodes > 1
        return all_isolated and self.redundant_from is None

    @property
    def redundant(self) -> tuple[int, list[str]]:
        """Number of columns left out as redundant, and the columns that none explains."""
        if self.redundant_from is None:
            return 0, []
        out = self.selector.nodes_[~self.selector.support_[self.selector.nodes_]]
        by = self.selector.representative_[out]
        return int((by >= 0).sum()), self._names(out[by < 0])

    @property
    def headline(self) -> str:
        """The selection in one line."""
        n = self.summary.n_selected
        columns = counted(self.n_features, "column")
        if not self.summary.has_groups or self.nothing_to_choose_by:
            return f"{n:,} of {columns} {self.said['adjective']}"
        share = f"{self.share} of the variance of all {self.n_nodes:,}"
        if self.n_nodes < self.n_features:
            share += " that take part"
        if self.summary.judged:
            return f"The list of {counted(n, 'column')} represents {share}"
        return f"{n:,} of {columns} represent{'s' if n == 1 else ''} {share}"

    @property
    def plain(self) -> str:
        """The selection in one line, with the names of the selected columns."""
        return f"{self.headline}: {listed(self.summary.selected_names, most=20)}"

    @property
    def meaning(self) -> str:
        """The coverage of the selected columns, and the reason for their number."""
        n, table = self.summary.n_selected, self.summary.table_name
        by_chance = percent(self.summary.random_share)
        it_covers = f"{'It covers' if n == 1 else 'They cover'} {self.share} of"
        random = f"(random lists of {n:,}: {by_chance})"
        if self.nothing_to_choose_by:
            meaning = (
                f"No two columns of {table} have a link {self.above}, so there is nothing to "
                "choose by: every column represents itself alone."
            )
        elif self.summary.has_groups:
            meaning = (
                f"{counted(n, 'column')} drawn at random represent{'s' if n == 1 else ''} "
                f"{by_chance} on average."
            )
            if self.redundant_from is not None:
                only = "Only what is redundant was left out."
                meaning = f"{only if self.redundant[0] else 'Nothing is redundant.'} {meaning}"
        elif self.measure.shares_variance:
            meaning = (
                f"{it_covers} the variation in {table} {random}: that is how much variance a "
                "column shares, on average, with the selected column most like it."
            )
        else:
            meaning = (
                f"{it_covers} {table} {random}: the average similarity of a column to the "
                "selected column most like it."
            )
        held = self.selector.relevance_held() if self.target else None
        if held is not None:
            meaning += (
                f" {'It holds' if n == 1 else 'They hold'} {percent(held[0])} of what all columns "
                f"say about {self.target}, one by one (random: {percent(held[1].mean)})."
            )
        return f"{meaning} {self._why_so_many()}".rstrip()

    def _why_so_many(self) -> str:
        """The reason for the size, if the rule determines it."""
        n, end = self.summary.n_selected, self.summary.end
        size_given = self.selector.n_features_to_select != "auto"
        everything = not size_given and n == self.n_features
        isolated = self.summary.isolated
        no_word = everything or len(isolated) == self.n_nodes
        if self.size.least_coverage is not None or end is None or no_word:
            return ""
        if self.summary.judged:
            return self.end if end > n else ""
        why = self.rule.end_words
        if self.target:
            why = f"no other column would add more about {self.target} than chance gives"
        if not size_given:
            free = np.setdiff1d(isolated, self.selector.forced_)
            besides = len(free) and self.selector.support_[free].all()
            return (
                f"The selection stopped at {n:,}{f': {why}' if why else ' by itself'}."
                f"{' Isolated columns are selected, too.' if besides else ''}"
            )
        if n == end:
            return "That is also where the selection stops by itself."
        further = "go on to" if n < end else "stop at"
        return (
            f"You asked for {n:,}; by itself the selection would {further} {end:,}{self.where}."
        )

    @property
    def end(self) -> str:
        """Where the selection stops by itself."""
        end = self.summary.end
        if end is None or end >= self.n_features:
            return ""
        start = "Given the list, a" if self.summary.judged else "The"
        return f"{start} selection stops by itself at {end:,}{self.where}."

    @property
    def how(self) -> str:
        """The method in two plain sentences."""
        rows = f", {self.rows}" if self.rows else ""
        what = "how alike they are"
        if self.summary.has_groups:
            what = "how much of one's variance the other explains"
        if not self.measure.means_alike:
            what = "how much they have in common"
        return (
            f"For each pair of columns, topofs measured {what} ({self.measure.words}{rows}). "
            f"{self._use_of_target()} {self._order()}"
        )

    def _use_of_target(self) -> str:
        """Whether a column to predict was used."""
        if self.target:
            return f"Columns that say more about {self.target} count more."
        relevance = relevance_of(self.selector.relevance)
        if relevance is None:
            return "No column to predict was used."
        if relevance.needs_target:
            return "Columns count by what a function says about a target."
        return "Columns count by given weights."

    @property
    def method(self) -> str:
        """The method exactly."""
        over = f" over {self.rows}" if self.rows else ""
        return (
            f"Columns were compared by {self.measure.words}{over}.{self._links()} "
            f"{self._order()} {self._use_of_target()}"
        )

    def _order(self) -> str:
        """The order of the columns."""
        if self.summary.judged:
            return f"What could be added to the list is ranked by {self.rule.words.ranked_by}."
        if self.redundant_from is None:
            return self.rule.sentence
        return (
            "Each next column is the one that explains most of those that none explains yet, "
            f"each to at least {percent(self.redundant_from)}; columns that were not needed in "
            "the end were given up."
        )

    def _links(self) -> str:
        """The pairs that the graph keeps; empty without links."""
        graph, n_links = self.summary.graph, self.summary.running.n_links
        if self.graph is None:
            return ""
        if self.graph.needs_scale:
            return f" Of all pairs count {self.graph.words}."
        if graph is None or not graph.n_edges:
            return ""
        links = counted(graph.n_edges, "link")
        if n_links is not None and self.redundant_from is None:
            many = "all" if n_links == graph.n_edges else f"{n_links:,}"
            links += f", {many} of them {self.above}"
        pairs = counted(self.n_nodes * (self.n_nodes - 1) // 2, "pair")
        return f" Of {pairs}, {self.graph.words} keeps {links}."

    @property
    def above(self) -> str:
        """The condition on a link, after "a link"."""
        if self.redundant_from is not None:
            return f"that explains {percent(self.redundant_from)} or more"
        by_chance = self.rule.needs.scale or self.rule.explains_together
        known = by_chance and self.measure.knows_chance
        return "stronger than chance explains" if known else "of any weight"

    @property
    def rest(self) -> str:
        """The kinds of the columns beyond the automatic end."""
        end, most = self.summary.end, self.selector.n_selectable_
        if not self.summary.has_groups or end is None or end >= most:
            return ""
        if self.selector.relevance is not None:
            about = f"about {self.target} than chance gives" if self.target else "than most"
            return f"Past the automatic end at {end:,}, no column adds more {about}."
        past = np.intersect1d(self.summary.order[end:most], self.selector.nodes_)
        n_isolated = int(np.isin(past, self.summary.isolated).sum())
        second = counted(len(past) - n_isolated, "second representative")
        kinds = []
        if len(past) > n_isolated:
            kinds.append(f"{second} (of groups that have one)")
        if n_isolated:
            kinds.append(counted(n_isolated, "isolated column"))
        return f"Past the automatic end at {end:,}: {' and '.join(kinds)}."

    @property
    def refine(self) -> str:
        """The option that makes exchanges, if it is not set."""
        # With relevance, exchanges raise the weighted coverage.
        plain = self.selector.relevance is None
        offered = getattr(self.rule, "refine", None) is False and plain
        if not offered or self.summary.judged or self.redundant_from is not None:
            return ""
        return "--refine (in Python, Coverage(refine=True)) makes such exchanges."

    @property
    def near_copy(self) -> float | None:
        """The share from which a column is safe to drop."""
        means_copy = self.rule.has_groups or self.measure.shares_variance
        if not means_copy or not self.measure.means_alike:
            return None
        return _NEAR_COPY if self.redundant_from is None else self.redundant_from

    @property
    def stability(self) -> str:
        """The dependence of the selection on the sample."""
        found = self.summary.stability
        if found is None:
            return ""
        start = f"In {counted(found.n_resamples, 'resample')} of the rows"
        if not np.isfinite(found.phi):
            return f"{start} all columns were always selected: nothing to compare."
        verdict = "rather different columns"
        if found.phi >= _POOR:
            verdict = "the same columns in part"
        if found.phi >= _EXCELLENT:
            verdict = "much the same columns"
        least, most = found.sizes.min(), found.sizes.max()
        sizes = f"{least:,}" if least == most else f"between {least:,} and {most:,}"
        return (
            f"{start} the selection had {verdict}: stability {found.phi:.2f} "
            f"({percent(found.level)} interval {found.lower:.2f} to {found.upper:.2f}), where 1 "
            "is the same columns every time and 0 is what chance gives. Each time "
            f"{sizes} columns were selected."
        )

    @property
    def notes(self) -> list[str]:
        """Further notes, a sentence or two each."""
        notes = [
            *self.summary.notes,
            self._ties(),
            self._isolated(),
            self._better(),
            self._not_alike(),
            *self._constraints(),
            *self._sizes(),
            *self._columns(),
        ]
        return [note for note in notes if note]

    def _ties(self) -> str:
        ties, unit = self.summary.ties, self.rule.words.unit
        if ties is None:
            return ""
        with_score = counted(int(ties.score), unit) if unit else "the same score"
        return (
            f"Tied at the cut: {counted(ties.inside + ties.outside, 'column')} with "
            f"{with_score}; {ties.inside:,} selected and {ties.outside:,} not, decided by "
            f"{self.rule.ties_words}."
        )

    def _isolated(self) -> str:
        """The number of isolated columns, the reason, and their treatment."""
        n = len(self.summary.isolated)
        if not n:
            return ""
        n_selected = int(self.selector.support_[self.summary.isolated].sum())
        adjective, it, are = self.said["adjective"], "them", "are"
        if n == 1:
            it, are = "it", "is"
        if n_selected == n:
            fate = f"It is {adjective}." if n == 1 else f"All of them are {adjective}."
        elif n_selected:
            fate = f"{n_selected:,} of them {'is' if n_selected == 1 else 'are'} {adjective}."
        elif self.summary.judged:
            fate = f"{'It is not' if n == 1 else 'None of them is'} in the list."
        else:
            fate = f"{'It is' if n == 1 else 'They are'} left out."
        why = f", with no link {self.above}: no other column can represent {it}."
        if self.redundant_from is not None:
            share = percent(self.redundant_from)
            why = f": no other column explains {share} or more of {it}."
        return f"{counted(n, 'column')} {are} isolated{why} {fate}"

    def _better(self) -> str:
        """The replacement that would raise the coverage most, if any."""
        changes = [
            (one.gained - one.lost, one.name, self.summary.names[feature])
            for feature, found in self.summary.alternatives.items()
            for one in found
        ]
        if not self.refine or not changes or max(changes)[0] < _WORTH_A_NOTE:
            return ""
        most, other, selected = max(changes)
        return (
            f"Taking “{other}” in place of “{selected}” would raise the coverage by "
            f"{fine_percent(most).removesuffix(' %')} points: {self.refine}"
        )

    def _not_alike(self) -> str:
        """A warning about measures whose high values do not mean similar columns."""
        if self.measure.means_alike:
            return ""
        return (
            f"Columns with a high value by this measure, {self.measure.words}, need not be alike: "
            "here “covered”, “nearest” and “alike” speak of a high value, not of shared "
            "information."
        )

    def _constraints(self) -> list[str]:
        """The forced and excluded columns, and the limits."""
        notes, selector, said = [], self.selector, self.said
        forced, excluded = selector.forced_, self.summary.excluded
        if len(forced):
            given = " The others were chosen given these." if self.summary.has_groups else ""
            start = "Forced"
            if self.summary.judged:
                start, given = "In the list", " What could be added is ranked given these."
            notes.append(f"{start}: {listed(self._names(forced))}.{given}")
        if len(excluded):
            they, are = ("It", "is") if len(excluded) == 1 else ("They", "are")
            but = f", but {are} to be represented" if self.summary.has_groups else ""
            done = "added" if self.summary.judged else "selected"
            notes.append(
                f"Excluded: {listed(self._names(excluded))}. {they} cannot be {done}{but}."
            )
        for limit in (selector.at_least, selector.at_most):
            if limit is None:
                continue
            group, labels = limit.groups(list(self.summary.names))
            n_free = int((group < 0).sum())
            free = f" ({counted(n_free, 'column')} in no group)" if n_free else ""
            notes.append(
                f"{limit.words.capitalize()} {int(limit.number):,} {said['adjective']} of each "
                f"of {counted(len(labels), 'group')}{free}."
            )
        if selector.max_similarity is not None:
            notes.append(
                f"No two {said['columns']} are more alike than {selector.max_similarity:g} "
                f"({self.measure.words})."
            )
        most = selector.n_selectable_
        if most < self.n_features:
            within_budget = self.size.budget is not None
            why = "within the budget" if within_budget else "under these constraints"
            notes.append(
                f"At most {counted(most, 'column')} can be {said['adjective']} together {why}: "
                "the slider ends there."
            )
        return notes

    def _sizes(self) -> list[str]:
        """A requested size that is not a number."""
        if self.size.least_coverage is not None:
            share = percent(self.size.least_coverage)
            return [f"Asked for: the fewest columns of the ranking that cover {share}."]
        cost = self.size.costs(list(self.summary.names))
        if cost is not None:
            return [
                f"Asked for: the most coverage within a budget of {self.size.budget:g}; "
                f"{float(cost[self.selector.support_].sum()):g} of it spent."
            ]
        if self.redundant_from is None:
            return []
        n_redundant, unexplained = self.redundant
        wanted = (
            "Asked for: leave out only columns of which a selected one explains at least "
            f"{percent(self.redundant_from)}."
        )
        if not n_redundant:
            return [f"{wanted} There is none."]
        if not unexplained:
            return [wanted]
        return [wanted, f"Left out, and explained by no selected one: {listed(unexplained)}."]

    def _columns(self) -> list[str]:
        """Notes on kinds of columns, and on columns that took no part."""
        notes, summary = [], self.summary
        if summary.nominal is not None:
            n_numbers = self.n_features - len(summary.nominal)
            notes.append(
                f"{counted(n_numbers, 'column')} of numbers and {len(summary.nominal):,} of "
                f"names (categories): {listed(self._names(summary.nominal))}."
            )
        named = [name for _, names in summary.left_out for name in names]
        known = set(named)
        n_outside = sum(summary.names[i] not in known for i in summary.reasons)
        if n_outside:
            why_not = [f"{summary.names[i]} ({why})" for i, why in summary.reasons.items()]
            notes.append(f"{counted(n_outside, 'column')} took no part: {listed(why_not)}.")
        if summary.graph is not None and len(summary.drawn) < self.n_nodes:
            notes.append(
                f"The graph has {counted(self.n_nodes, 'column')}; drawn are the "
                f"{len(summary.drawn):,} that are selected or joined to a selected one."
            )
        if named:
            notes.append(f"{counted(len(named), 'column')} left out before the comparison.")
        if summary.passed_through:
            kept = listed(summary.passed_through)
            notes.append(f"Not compared, but kept in the output: {kept}.")
        return notes

    def _names(self, features: Ints) -> list[str]:
        return [self.summary.names[i] for i in features.tolist()]
