"""The commands that this distribution adds to ``topofs``: reproduce, benchmark, datasets."""
