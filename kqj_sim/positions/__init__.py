"""The values of calls and cards, estimated on deals that match what a player knows."""
