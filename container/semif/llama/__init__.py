"""The real engine: libllama in this process through ctypes, and nothing else in the product uses ctypes."""
