"""Chat templates written for the tests."""

# Turn marks and thinking block as Qwen3.5 has them; the wording is ours.
SWITCHABLE = """
{%- set skip_thinking = enable_thinking is defined and enable_thinking is false -%}
{%- for turn in messages -%}
{{ '<|im_start|>' ~ turn['role'] ~ '\\n' ~ turn['content'] ~ '<|im_end|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant\\n<think>\\n' }}
{%- if skip_thinking -%}{{ '\\n</think>\\n\\n' }}{%- endif -%}
{%- endif -%}
"""
