"""What the scores of labelled answers mean, and which of them may be acted upon."""
