"""A notation for rounds that people can type: read into records, and written from them."""
