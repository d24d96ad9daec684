"""Tables of KQJ rounds."""
