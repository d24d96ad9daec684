"""The public functions of the package, and the results that they return."""
