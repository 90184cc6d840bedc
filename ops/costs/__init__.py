"""What an environment costs: what is billed, at prices the operator gives."""
