"""Experiments: deals played in threads or on a cluster, as rows, totals or records."""
