"""A decision policy as a TOML file that people review: the client's own fields, and the figures behind them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from decision_client.policy import DecisionPolicy
from evidence.calibration.calibrate import Calibration
from evidence.calibration.errors import CalibrationError
from evidence.calibration.group import Group
from evidence.calibration.policy_evidence import evidence

_HEAD = (
    "What labelled decisions allow an application to do with answers of this definition, from this model on these",
    "runtimes. Made by `python -m ops calibrate`; the client refuses to act on anything that it does not cover.",
)
_COMMENTS = {
    "temperature": "Option logits are divided by it before their softmax; probabilities below are what comes out.",
    "definition": "The wording, options, their order and abstain option. Another wording is another version.",
    "binding": "What the answers were measured on, byte for byte.",
    "runtimes": "Where: each of these has shown every threshold below on its own answers.",
    "thresholds": "act: from here on without a person. Below review: not worth a person's reading. Absent: not shown.",
    "evidence": "For people, and for `calibrate --check`; the client decides nothing by it.",
}


def policy(calibration: Calibration, group: Group, version: str) -> DecisionPolicy:
    """Return the policy of a group that has a definition."""
    assert group.definition is not None
    plan = calibration.plan
    kind = calibration.kinds[group.type]
    thresholds = {
        "target_risk": plan.target_risk,
        "review_risk": None if group.review is None or group.review.threshold is None else plan.review_risk,
        "confidence": plan.confidence,
        "act": group.act.threshold,
        "review": group.review.threshold if group.review else None,
        "min_mass": plan.min_mass,
        "min_margin": plan.min_margin,
    }
    return DecisionPolicy.model_validate(
        {
            "version": version,
            "definition": group.definition,
            "binding": calibration.labelled.binding,
            "runtimes": group.runtimes,
            "temperature": kind.temperature.value,
            "thresholds": thresholds,
            "evidence": evidence(calibration, group),
        }
    )


def text(policy: DecisionPolicy) -> str:
    """Return the file: what `decision_client.policy.read_policy` reads as the same policy."""
    document = tomlkit.document()
    for line in _HEAD:
        document.add(tomlkit.comment(line))
    values = policy.model_dump(mode="json", exclude_none=True)
    document.add("version", values.pop("version"))
    # TOML takes what follows a table for a part of it.
    for key in ("temperature", *(key for key in values if key != "temperature")):
        value = values[key]
        if isinstance(value, dict):
            document.add(key, _table(value, _COMMENTS[key]))
        elif isinstance(value, list):
            tables = tomlkit.aot()
            for place, each in enumerate(value):
                tables.append(_table(each, "" if place else _COMMENTS[key]))
            document.add(key, tables)
        else:
            document.add(tomlkit.nl())
            document.add(tomlkit.comment(_COMMENTS[key]))
            document.add(key, value)
    return tomlkit.dumps(document)


def write(policies: Sequence[DecisionPolicy], folder: Path, *, replace: bool) -> list[Path]:
    """Write policies, each as `<definition>-<its version>.toml`, all or none of them.

    Raises:
        CalibrationError: Two would be one file, one is there and is not to be replaced, or the folder takes none.
    """
    texts = {folder / f"{each.definition.name}-{each.definition.version}.toml": text(each) for each in policies}
    if len(texts) < len(policies):
        raise CalibrationError("a definition was asked in two wordings with one version: each needs its own version")
    there = [str(file) for file in texts if file.exists()]
    if there and not replace:
        raise CalibrationError(f"{', '.join(there)}: is there already; review it, then --replace")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in texts.items():
            file.with_suffix(".new").write_text(content, encoding="utf-8")
        for file in texts:
            file.with_suffix(".new").replace(file)
    except OSError as error:
        raise CalibrationError(f"{folder}: cannot be written: {error.strerror}") from None
    return list(texts)


def _table(values: dict[str, Any], comment: str = "") -> Table:
    table = tomlkit.table()
    if comment:
        table.add(tomlkit.comment(comment))
    for key, value in values.items():
        table.add(key, _table(value) if isinstance(value, dict) else _item(value))
    return table


def _item(value: object) -> object:
    if not isinstance(value, list) or not any(isinstance(each, dict) for each in value):
        return value
    rows = tomlkit.array().multiline(multiline=True)
    for each in value:
        row = tomlkit.inline_table()
        row.update(each)
        rows.append(row)
    return rows
