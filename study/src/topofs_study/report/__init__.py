"""The reports of a reproduction and of a benchmark."""
