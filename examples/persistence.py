"""
Save it and use it again
========================

Save a fitted selector in a pipeline and load it again, with joblib and with skops.
"""

# %% joblib
# joblib is short, but loading runs what the file says: load only your own files.

import joblib
import numpy as np
import skops.io
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from topofs import TopologicalFeatureSelector

X, y = load_breast_cancer(as_frame=True, return_X_y=True)
model = make_pipeline(
    TopologicalFeatureSelector(8), StandardScaler(), LogisticRegression(max_iter=1000)
).fit(X, y)
joblib.dump(model, "model.joblib")

again = joblib.load("model.joblib")
print("the same predictions:", np.array_equal(again.predict(X), model.predict(X)))
print("selected:", ", ".join(again[0].get_feature_names_out()))

# %% trusted
# The types that skops may load.

TRUSTED = [
    "numpy.dtype",
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csr.csr_array",
    "topofs.filtering.clique_forest.CliqueForest",
    "topofs.filtering.links.Links",
    "topofs.filtering.mst.MST",
    "topofs.filtering.pmfg.PMFG",
    "topofs.filtering.tmfg.TMFG",
    "topofs.graph.FilteredGraph",
    "topofs.graph.LinkGraph",
    "topofs.graph.ShareRows",
    "topofs.models.elimination.Elimination",
    "topofs.models.logo.LoGoCovariance",
    "topofs.rules.centrality.Centrality",
    "topofs.rules.chance_gain.ChanceGain",
    "topofs.rules.coverage.Coverage",
    "topofs.rules.reach.MatrixReach",
    "topofs.rules.reach.PathReach",
    "topofs.rules.rule.Ranking",
    "topofs.rules.variance.Variance",
    "topofs.rules.variance_reach.VarianceReach",
    "topofs.rules.variance_space.CovarianceSpace",
    "topofs.rules.variance_space.SampleSpace",
    "topofs.rules.wishes.Wishes",
    "topofs.selection.infinite.InfiniteFeatureSelector",
    "topofs.selection.reading.RareColumns",
    "topofs.selection.sizes.Budget",
    "topofs.selection.sizes.MinShare",
    "topofs.selection.sizes.UntilCoverage",
    "topofs.selection.topological.TopologicalFeatureSelector",
    "topofs.selection.wishes.AtMost",
    "topofs.similarity.auto.Auto",
    "topofs.similarity.binned_information.BinnedInformation",
    "topofs.similarity.correlation.Correlation",
    "topofs.similarity.energy.Energy",
    "topofs.similarity.mixed.Mixed",
    "topofs.similarity.mixed_columns.MixedSimilarity",
    "topofs.similarity.mutual_information.MutualInformation",
    "topofs.similarity.noise_floor.Margins",
    "topofs.similarity.operator.Squared",
    "topofs.similarity.pearson.Pearson",
    "topofs.similarity.shared_variance.CorrelationScale",
    "topofs.similarity.shared_variance.FlooredScale",
    "topofs.similarity.spearman.Spearman",
    "topofs.similarity.standard_columns.StandardColumns",
]

# %% skops
# skops loads nothing that is not on the list.

skops.io.dump(model, "model.skops")

unknown = set(skops.io.get_untrusted_types(file="model.skops")) - set(TRUSTED)
print("in the file and not on the list:", sorted(unknown) or "nothing")
again = skops.io.load("model.skops", trusted=TRUSTED)
print("the same predictions:", np.array_equal(again.predict(X), model.predict(X)))
