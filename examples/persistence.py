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
    "topofs.backends.top_k_neighbors.ShareRows",
    "topofs.constraints.AtLeast",
    "topofs.constraints.AtMost",
    "topofs.constraints.Budget",
    "topofs.constraints.Constraints",
    "topofs.constraints.MinShare",
    "topofs.constraints.UntilCoverage",
    "topofs.graphs.clique_forest.CliqueForest",
    "topofs.graphs.filtered_graph.FilteredGraph",
    "topofs.graphs.filtered_graph.LinkGraph",
    "topofs.graphs.links.Links",
    "topofs.graphs.mst.MST",
    "topofs.graphs.pmfg.PMFG",
    "topofs.graphs.tmfg.TMFG",
    "topofs.models.elimination.Elimination",
    "topofs.models.logo.LoGoCovariance",
    "topofs.rules.base.Ranking",
    "topofs.rules.centrality.Centrality",
    "topofs.rules.coverage.Coverage",
    "topofs.rules.coverage.MatrixCoverage",
    "topofs.rules.coverage.PathCoverage",
    "topofs.rules.residuals.ChanceGain",
    "topofs.rules.residuals.CovarianceSpace",
    "topofs.rules.residuals.SampleSpace",
    "topofs.rules.variance.Variance",
    "topofs.rules.variance.VarianceCoverage",
    "topofs.selection.base.InfiniteFeatureSelector",
    "topofs.selection.selector.TopologicalFeatureSelector",
    "topofs.similarity.correlation.Correlation",
    "topofs.similarity.correlation.Pearson",
    "topofs.similarity.correlation.Spearman",
    "topofs.similarity.energy.Energy",
    "topofs.similarity.mixed.Auto",
    "topofs.similarity.mixed.Mixed",
    "topofs.similarity.mixed.MixedSimilarity",
    "topofs.similarity.mutual_information.BinnedInformation",
    "topofs.similarity.mutual_information.MutualInformation",
    "topofs.similarity.noise_floor.CorrelationScale",
    "topofs.similarity.noise_floor.FlooredScale",
    "topofs.similarity.noise_floor.Margins",
    "topofs.similarity.standard_columns.StandardColumns",
]

# %% skops
# skops loads nothing that is not on the list.

skops.io.dump(model, "model.skops")

unknown = set(skops.io.get_untrusted_types(file="model.skops")) - set(TRUSTED)
print("in the file and not on the list:", sorted(unknown) or "nothing")
again = skops.io.load("model.skops", trusted=TRUSTED)
print("the same predictions:", np.array_equal(again.predict(X), model.predict(X)))
