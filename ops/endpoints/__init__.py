"""What is deployed: what runs, where it comes from, verified again, taken away."""
