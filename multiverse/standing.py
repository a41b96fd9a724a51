"""How an audit stands to a freeze, as its record says it."""

from dataclasses import dataclass
from typing import Any, Literal

from multiverse.gates import GateVerdict

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """How an audit stands to a freeze: the gates it passed, and, where it is frozen, what motivated the freeze."""

    status: Literal["frozen", "exploratory"] = "exploratory"
    gates: tuple[GateVerdict, ...] = ()
    motivation: str | None = None
    reason: str | None = None  # of an amendment

    @property
    def admissibility(self) -> Json | None:
        """What the record says of the freeze; null where there is none (paper section 2.5 and appendix B)."""
        if self.motivation is None:
            return None
        control = "post-hoc motivated, prospectively frozen robustness control"
        words = "frozen" if self.reason is None else control
        return {"classification": words, "motivation": self.motivation, "reason": self.reason}


def frozen_standing(admissibility: Json, gates: tuple[GateVerdict, ...]) -> Standing:
    """The standing of an audit under a freeze, whose receipt states its `admissibility`."""
    motivation, reason = admissibility["motivation"], admissibility["reason"]
    return Standing(status="frozen", gates=gates, motivation=motivation, reason=reason)


def gate_entry(verdict: GateVerdict) -> Json:
    """A gate's entry in the record."""
    return {
        "id": verdict.id,
        "population": verdict.population,
        "unit": verdict.unit,
        "count": verdict.count,
        "at_least": verdict.at_least,
        "verdict": verdict.verdict,
    }
