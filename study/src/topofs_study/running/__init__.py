"""One driver for every plan: survey the datasets, run what is missing, store each record."""
