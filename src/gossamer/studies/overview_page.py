"""Page over all papers: how many claims of each are reproduced, and what the runs cost."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.studies.comparison import Verdict
from gossamer.studies.inventory import counts
from gossamer.studies.report_page import duration_text, table_line
from gossamer.studies.study_result import StudyResult

HEADINGS = (
    "paper", "claims", "reproduced", "with changed settings", "differ", "cannot be tested here",
    "not computed yet", "processor time",
)  # fmt: skip
INTRODUCTION = """\
A *claim* is a sentence of a paper that experiments can test, or a published number. A number is \
reproduced if the 95 % confidence interval of our mean over seeded instances reaches it, with the \
precision to which it is known; a sentence, if its check holds. A verdict needs three instances, \
all computed by the present code. Where a stated setting cannot be right, a second count has the \
changed one."""


def overview_page(results: Sequence[StudyResult]) -> str:
    """Return the page over the results of several studies as Markdown."""
    quick = " --quick" if any(one.quick for one in results) else ""
    lines = ["# Reproduction of the papers", "", INTRODUCTION, ""]
    lines += [f"`gossamer reproduce all{quick}` writes this page and those of the papers.", ""]
    lines += [table_line(HEADINGS), table_line(["---", *["---:"] * (len(HEADINGS) - 1)])]
    lines += [table_line(_row(one)) for one in results]
    settings = [
        f"- {one.study.short_title}: {claim.setting}."
        for one in results
        for claim in one.claims
        if claim.setting
    ]
    if settings:
        lines += ["", "Changed settings:", "", *dict.fromkeys(settings)]
    return "\n".join(lines) + "\n"


def _row(result: StudyResult) -> list[str]:
    name, found = result.study.name, counts(result.claims)
    other = counts(result.claims, changed=True)
    changed = any(claim.setting for claim in result.claims)
    claims = str(len(result.claims))
    return [
        f"[{result.study.short_title}]({name}/{name}.md)",
        claims if result.quick else f"[{claims}]({name}/{name}-inventory.md)",
        str(found[Verdict.REPRODUCED]),
        str(other[Verdict.REPRODUCED]) if changed else "",
        str(found[Verdict.DIFFERS]),
        str(found[Verdict.UNTESTED]),
        str(found[Verdict.PENDING]),
        duration_text(result.seconds),
    ]
