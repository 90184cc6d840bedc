"""The flags of llama-server that may be set, each with its type: the container turns any variable into a flag."""

from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, Field, model_validator

from config.rules import broken
from config.values import PositiveInt, Table


def _only_true(value: bool) -> bool:  # noqa: FBT001 - what pydantic calls a validator with
    if not value:
        raise ValueError("must be true or absent: the flag has no opposite")
    return value


Given = Annotated[bool, AfterValidator(_only_true)]
Choice = Literal["on", "off", "auto"]
CacheType = Literal["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1"]
Threads = Annotated[int, Field(ge=1, le=1024)]
BatchTokens = Annotated[int, Field(ge=1, le=262_144)]
# -1 stands for no limit.
Limit = Annotated[int, Field(ge=-1, lt=10**9)]


class ChatServer(Table):
    """Settings of llama-server by the names of its flags; what is absent keeps the server's default.

    A true or false flag has an opposite (--jinja and --no-jinja); one that can only be true has none.
    """

    threads: Threads | None = None
    threads_batch: Threads | None = None
    threads_http: Threads | None = None
    parallel: Annotated[int, Field(ge=1, le=256)] | None = None  # slots, which share context_tokens
    batch_size: BatchTokens | None = None
    ubatch_size: BatchTokens | None = None
    n_gpu_layers: Annotated[int, Field(ge=0, le=999)] | None = None  # 999 is every layer
    n_predict: Limit | None = None  # tokens of an answer that asks for no number
    cache_type_k: CacheType | None = None
    cache_type_v: CacheType | None = None
    cache_ram: Limit | None = None  # MiB of prompts kept outside the slots
    cache_reuse: PositiveInt | None = None  # tokens
    flash_attn: Choice | None = None
    reasoning: Choice | None = None
    reasoning_budget: Limit | None = None  # tokens of thought; 0 ends it at once
    reasoning_format: Literal["none", "deepseek", "deepseek-legacy", "auto"] | None = None
    pooling: Literal["none", "mean", "cls", "last", "rank"] | None = None
    embeddings: Given | None = None
    reranking: Given | None = None
    jinja: bool | None = None
    warmup: bool | None = None
    cont_batching: bool | None = None
    context_shift: bool | None = None
    cache_prompt: bool | None = None
    kv_unified: bool | None = None

    @model_validator(mode="after")
    def _batches_hold_their_parts(self) -> Self:
        if self.batch_size and self.ubatch_size and self.ubatch_size > self.batch_size:
            raise broken("ubatch_size", f"{self.ubatch_size} is more than batch_size, {self.batch_size}")
        return self

    @property
    def flags(self) -> dict[str, str]:
        """The flags that are set, as the container's variables without prefix: JINJA or NO_JINJA for true and false."""
        given = self.model_dump(exclude_none=True)
        return {
            f"NO_{name.upper()}" if value is False else name.upper(): "true" if isinstance(value, bool) else str(value)
            for name, value in given.items()
        }

    @classmethod
    def variables(cls) -> frozenset[str]:
        """Every name that flags can have."""
        fields = cls.model_fields.items()
        opposites = {f"NO_{name.upper()}" for name, field in fields if bool in get_args(field.annotation)}
        return frozenset(opposites | {name.upper() for name, _ in fields})
