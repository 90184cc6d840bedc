"""What was decided: a trail counted, corrected, and asked again."""
