"""The load test of the real container process: bounded in count and time, on loopback only."""
