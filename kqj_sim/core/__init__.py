"""The numba core: numbers in, numbers out.  It knows no text, no files, no tables."""
