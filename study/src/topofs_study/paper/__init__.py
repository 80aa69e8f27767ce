"""The paper's study: plan, items, frames, statistics, tables and claims."""
