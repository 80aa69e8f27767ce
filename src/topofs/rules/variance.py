"""Variance: choose columns that together explain most of what varies in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.network import Needs
from topofs.rules.base import Ranking, Rule, ScoreWords
from topofs.terms import register

if TYPE_CHECKING:
    from topofs.constraints import Constraints
    from topofs.network import Network

__all__ = ["Variance"]


@dataclass(frozen=True, repr=False)
class Variance(Rule):
    r"""Each next column is the one that explains most of what those before it leave unexplained.

    Greedy column subset selection, or principal variables [1]_ [2]_ [3]_ [4]_. With K the
    residual covariance of the standardised columns beyond those selected, the next column
    maximises

    .. math:: \sum_i \frac{K_{ij}^2}{K_{jj}},

    the variance of all columns, in columns, that a regression on it explains beyond the
    selected ones; it is the strength of j in the network of squared partial covariances given
    the selected. A column of names is a block B of indicator columns, taken as a whole, and
    explains :math:`\operatorname{tr}(K_{BB}^{+} K_{B:} K_{:B})`.

    The rule needs columns, not a graph or a matrix of similarities: a step costs O(n·S) for n
    columns and S samples, and memory is that of the table. It ends by itself where the next
    column would explain less than one and a half columns (itself and half of another) beyond
    what the best column explains of others by chance; chance is the same table with the values
    of each column shuffled.

    Notes
    -----
    Columns are compared as the measure does: by values (`Pearson`), by ranks (`Spearman`), or
    by ranks and indicators (`Mixed`). A missing value lies at the mean of its column (at the
    middle rank), where it adds nothing. A column of which less than 1e-10 of the variance is
    left (1e-5 in single precision) is explained and is not chosen before any other; at the
    latest when as many columns were chosen as there are samples, less one, all are. Explained
    columns follow at the end of the ranking, those that would have explained most at the
    beginning first. Gains that differ by less than 10⁻⁹ of themselves (10⁻⁶ in single
    precision) are equal: then the column comes first that would have explained more at the
    beginning, and of equal ones the values decide. So the order of the columns of the table
    plays no part, also where one is a multiple of another; of exact copies the first is taken.

    Where the exact order of all columns would take long, those beyond the number asked for, or
    beyond the end, are ordered by what each would explain next.

    References
    ----------
    .. [1] G. P. McCabe (1984). Principal variables. Technometrics 26(2), 137-144.
    .. [2] A. K. Farahat, A. Ghodsi and M. S. Kamel (2011). An efficient greedy method for
       unsupervised feature selection. IEEE International Conference on Data Mining, 161-170.
    .. [3] L. Puggini and S. McLoone (2017). Forward selection component analysis: algorithms
       and applications. IEEE Transactions on Pattern Analysis and Machine Intelligence 39(12),
       2395-2408.
    .. [4] A. Sood and T. Hastie (2023). A statistical view of column subset selection.
       arXiv:2307.12892.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> X = load_wine(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(3, rule="variance").fit(X)
    >>> selector.get_feature_names_out().tolist()
    ['alcalinity_of_ash', 'flavanoids', 'color_intensity']
    """

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True
    explains_together: ClassVar[bool] = True
    default_graph: ClassVar[str | None] = None

    @property
    def needs(self) -> Needs:
        """The columns themselves."""
        return Needs(graph=False, columns=True)

    @property
    def words(self) -> ScoreWords:
        """What its scores are called."""
        return ScoreWords(
            "Explains",
            "what each explains beyond those before it",
            "variance explained",
            axis="columns' worth of variance, best first",
        )

    @property
    def sentence(self) -> str:
        """How columns are put in order, as a sentence."""
        return (
            "The first column selected is the one that explains most of the variance of all "
            "columns, each next one the one that explains most of what is left; columns that "
            "are explained fully come last."
        )

    @property
    def ties_words(self) -> str:
        """What decides between equal scores."""
        return "what each explains by itself"

    @property
    def end_words(self) -> str:
        """What is true where it ends."""
        return (
            "the next column would explain less than itself and half of another beyond chance"
        )

    def rank(self, network: Network, constraints: Constraints) -> Ranking:
        """Order the nodes greedily, those chosen beforehand first."""
        from topofs.rules.residuals import variance_space
        from topofs.rules.variance_search import variance_ranking

        space = variance_space(network.columns, network.memory, place=network.place)
        return variance_ranking(space, constraints)

    def again(self, ranking: Ranking, constraints: Constraints) -> Ranking:
        """Order the nodes greedily under other constraints."""
        from topofs.rules.greedy import greedy_ranking
        from topofs.rules.variance_search import VarianceCoverage, variance_ranking

        reach: Any = ranking.reach
        if isinstance(reach, VarianceCoverage):
            return variance_ranking(reach.space, constraints)
        # Only what is redundant was left out: shares of pairs are all there is.
        return greedy_ranking(reach, constraints)


register(Variance())
