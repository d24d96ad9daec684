"""KQJ: what this game alone has."""
