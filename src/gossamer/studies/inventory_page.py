"""Page of the inventory of a paper's claims: place, claim, our value, verdict, cause."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gossamer.studies.comparison import Verdict
from gossamer.studies.inventory import Claim, headline
from gossamer.studies.report_page import UNEXPLAINED, cause_text, number_text, titles_of
from gossamer.studies.study_result import StudyResult

MARKS = {Verdict.REPRODUCED: "✓", Verdict.DIFFERS: "✗", Verdict.UNTESTED: "–", Verdict.PENDING: "○"}


def inventory_page(result: StudyResult) -> str:
    """Return the inventory of a paper as Markdown."""
    study, titles = result.study, titles_of(result)
    lines = [f"# {study.short_title}: inventory of the paper's claims", ""]
    lines += [f"*{study.title}*, {study.reference}.", "", f"**{headline(result.claims)}.**", ""]
    lines += [
        "✓: reproduced. ✗: differs. –: cannot be tested here. ○: not computed yet. "
        f"[Figures, tables and statements]({study.name}.md).",
        "",
    ]
    numbered = list(enumerate(result.claims, start=1))
    for place, claims in groupby(numbered, key=lambda one: one[1].place):
        lines += [f"## {place}", ""]
        for number, claim in claims:
            lines.append(f"{number}. {' '.join(_parts(claim, titles))}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _parts(claim: Claim, titles: dict[str, str]) -> Iterator[str]:
    """Yield the mark, the claim, our value, and the causes or the reason."""
    yield MARKS[claim.verdict]
    if len(set(claim.outcomes.values())) > 1:
        yield f"({'; '.join(f'{MARKS[one]} {name}' for name, one in claim.outcomes.items())})"
    if claim.paper is None:
        yield claim.text.strip()
    else:
        ours = "not computed"
        if claim.ours is not None:
            mean, half = claim.ours
            ours = number_text(mean) + (f" ± {number_text(half)}" if half else "")
        yield f"{claim.text}: {number_text(claim.paper)}; ours {ours}."
    if claim.setting and claim.changed is not claim.verdict:
        yield f"With {claim.setting}: {MARKS[claim.changed]}"
    if claim.reason:
        yield f"*{claim.reason.strip()}*"
    if Verdict.DIFFERS in (claim.verdict, claim.changed):
        causes = [cause_text(cause, titles) for cause in claim.causes] or [UNEXPLAINED]
        yield f"*{' '.join(causes)}*"
