"""How good decisions are: asked in bulk, counted, compared, calibrated and drawn."""
