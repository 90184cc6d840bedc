"""What scores mean on labelled decisions: tasks, results, figures, calibration. Knows the client's room alone."""
