"""SemIf: scores declared options from the last-position logits of a GGUF model."""

ADAPTER_VERSION = "0.1.0"
