"""Tables with intervals and expressions that choose rows."""
