"""What `ops calibrate` says: one line for each figure, the reason beside each threshold that is missing."""

from collections.abc import Iterator

from evidence.calibration.calibrate import Calibration, Kind
from evidence.calibration.check import Check, Checked, Verdict
from evidence.calibration.differences import described
from evidence.calibration.figures import Estimate, Figures
from evidence.calibration.group import Certified, Group
from evidence.calibration.order import OrderSensitivity
from evidence.calibration.sequence import Trial
from ops.report import printable


def calibration_lines(made: Calibration) -> Iterator[str]:
    """Say what labelled decisions support: types first, then each definition's thresholds."""
    yield from map(printable, made.labelled.said)
    for name, kind in made.kinds.items():
        yield from _kind(name, kind)
    for group in made.groups:
        yield from _group(group)


def check_lines(checked: Check) -> Iterator[str]:
    """Say what evidence makes of a policy: thresholds, calibration, then what it is not bound to."""
    yield from map(printable, checked.said)
    for each in checked.thresholds:
        yield from _checked(each)
    left_out = f"; {checked.left_out} left out, which the policy may have seen" if checked.left_out else ""
    low, high = checked.figures.ece_noise
    yield (
        f"{checked.answers} labels{left_out}; accuracy {checked.figures.accuracy:.3f}, ECE at the policy's temperature "
        f"{_estimate(checked.figures.ece)}; true probabilities would show {low:.3f}, seldom above {high:.3f}"
    )
    for untried in checked.untried:
        yield f"{printable(described(untried))}: the policy covers it, and no answer here is from it"
    for each_difference in checked.differences:
        of_policy, of_evidence = printable(each_difference.policy), printable(each_difference.evidence)
        yield f"{each_difference.field}: the policy is for {of_policy}, the evidence is from {of_evidence}"
    if checked.differences:
        supports = "supports" if checked.holds else "does not support"
        yield (
            f"The client does not act on these answers with this policy. The evidence {supports} the same thresholds; "
            "calibrate with it to make their policy."
        )


def _kind(name: str, kind: Kind) -> Iterator[str]:
    temperature = kind.temperature
    note = f" ({temperature.note})" if temperature.note else ""
    yield f"{name}: temperature {temperature.value:g}, from {temperature.tasks} fitting tasks{note}"
    if temperature.before and temperature.after:
        yield f"  {temperature.tasks} fitting tasks, from temperature 1 to the one of the folds without them:"
        yield from _change(temperature.before, temperature.after)
    if kind.at_1 and kind.unseen:
        to = "at temperature 1" if temperature.value == 1 else f"from temperature 1 to {temperature.value:g}"
        yield f"  {kind.unseen.tasks} certifying tasks, {to}:"
        yield from _change(kind.at_1, kind.unseen)
    if kind.order:
        yield from _order(kind.order)


def _change(before: Figures, after: Figures) -> Iterator[str]:
    yield f"    log loss {_from_to(before.log_loss, after.log_loss)}"
    yield f"    Brier    {_from_to(before.brier, after.brier)}"
    low, high = after.ece_noise
    true = f"true probabilities would show {low:.3f}, seldom above {high:.3f}"
    yield f"    ECE      {_from_to(before.ece, after.ece)}; {true}"


def _order(order: OrderSensitivity) -> Iterator[str]:
    low, high = order.interval
    yield (
        f"  order: {order.flipped} of {order.tasks} tasks change their answer with the options' order "
        f"({order.flip_rate:.1%}, {low:.1%} to {high:.1%}); {order.changed} of {order.moved} moved answers"
    )
    for options in sorted({place.options for place in order.places}):
        mine = [place for place in order.places if place.options == options]
        shares = ", ".join(f"{place.probability:.3f}" for place in mine)
        yield f"  places of {options} options get {shares} over {mine[0].tasks} tasks; {1 / options:.3f} each is none's"


def _group(group: Group) -> Iterator[str]:
    reference = group.definition
    name = f"{reference.name} {reference.version}" if reference else "worded inline, so without a policy"
    yield (
        f"{name} ({group.type}): {group.tasks} tasks, {group.failed} failed, {group.abstained} chose the abstain "
        f"option; {group.fitting} fit, {group.certifying} certify"
    )
    if group.unseen:
        yield (
            f"  certifying answers: accuracy {group.unseen.accuracy:.3f}, log loss {_estimate(group.unseen.log_loss)}, "
            f"ECE {_estimate(group.unseen.ece)}"
        )
    if group.little_mass:
        yield f"  {group.little_mass} of {group.certifying} certifying answers have too little mass to be acted upon"
    yield from _certified("act", group.act)
    if group.review:
        yield from _certified("review", group.review)


def _certified(name: str, certified: Certified) -> Iterator[str]:
    target = certified.sequence.target
    note = f" ({certified.note})" if certified.note else ""
    if certified.threshold is None:
        yield f"  {name}: no threshold{note}: {certified.shortfall.sentence if certified.shortfall else 'see above'}"
        return
    yield f"  {name}: {certified.threshold:g}{note}, for a risk of {target.risk:g} at confidence {target.confidence:g}"
    yield f"    covers {certified.covered} of {certified.tasks} certifying tasks, {certified.coverage:.1%}"
    yield from (f"    {_tested(each)}" for each in certified.sequence.at(certified.threshold))


def _checked(checked: Checked) -> Iterator[str]:
    wanted = f"a risk of {checked.risk:g} at confidence {checked.confidence:g}"
    more = ""
    if checked.verdict is Verdict.NOT_SHOWN:
        more = f"; the least is {checked.least} covered answers, all right"
    yield f"{checked.name} {checked.threshold:g}: {checked.verdict}, for {wanted}{more}"
    yield from (f"  {_tested(each)}" for each in checked.tested)
    if checked.stopped:
        yield f"  not reached: the policy's sequence stops at {checked.stopped[0].threshold:g}"
        yield from (f"    {_tested(each)}" for each in checked.stopped if not each.shown)


def _tested(tested: Trial) -> str:
    where = printable(described(tested.runtime))
    return (
        f"{where}: {tested.wrong} of {tested.covered} covered are wrong, the risk is at most {tested.upper_bound:.4f}"
    )


def _from_to(before: Estimate, after: Estimate) -> str:
    return _estimate(after) if before == after else f"{_estimate(before)} → {_estimate(after)}"


def _estimate(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
