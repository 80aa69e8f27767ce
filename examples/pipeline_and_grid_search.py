"""
Pipelines and grid search
=========================

Put the selector in a pipeline, and let a grid search choose its settings.
"""

from sklearn.datasets import load_digits
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from topofs import Centrality, Coverage, TopologicalFeatureSelector

X, y = load_digits(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %% pipeline
# Select, scale and classify.

pipeline = Pipeline(
    [
        ("varying", VarianceThreshold()),  # some pixels are blank in every image of a fold
        ("select", TopologicalFeatureSelector(20)),
        ("scale", StandardScaler()),
        ("classify", KNeighborsClassifier()),
    ]
)
pipeline.set_output(transform="pandas")  # column names survive every step
pipeline.fit(X_train, y_train)
print(f"20 of {X.shape[1]} columns: accuracy {pipeline.score(X_test, y_test):.2f}")

# %% search
# The grid search sets parameters of the selector, and parameters of its terms.

search = GridSearchCV(
    pipeline,
    {
        "select__n_features_to_select": [10, 30],
        "select__rule": [Coverage(), Centrality("pagerank")],
        "select__similarity__squared": [True, False],
    },
    cv=3,
    scoring="balanced_accuracy",
)
search.fit(X_train, y_train)
print("best settings:", search.best_params_)
print(f"balanced accuracy on the test part: {search.score(X_test, y_test):.2f}")

# %% sizes
# One fit is enough for every size.

varying = pipeline[:1]  # the first step, fitted above
selector = TopologicalFeatureSelector().fit(varying.transform(X_train))  # one fit
for size in (5, 10, 20, 40):
    columns = selector.at(size).get_feature_names_out()
    # A k-d tree tells equal distances apart alike on any number of threads.
    model = KNeighborsClassifier(algorithm="kd_tree").fit(X_train[columns], y_train)
    print(f"{size:>3} columns: accuracy {model.score(X_test[columns], y_test):.2f}")
