"""Reports for other programs: SARIF and annotations of GitHub."""

from __future__ import annotations

import json

from tests.unit.authoring.lint.examples import files_of, linted
from toolgen.authoring.lint.registry import rule_texts
from toolgen.authoring.report import entries_of, github_annotations, sarif_log
from toolgen.compiler.diagnostics.diagnostic import Diagnostic, Related, Severity, Span

FOUND = Diagnostic(
    "TL206",
    Severity.WARNING,
    Span("specs/a b,c.yaml", 3, 5, 3, 9),
    "100% of\nit: bad, ::error::x",
    (Related(Span("specs/b.yaml", 7, 1, 9, 2), "the other"),),
    "change it",
)


def test_an_annotation_escapes_what_could_start_another_command() -> None:
    assert github_annotations(entries_of([FOUND], rule_texts(), {}), "my shop/") == (
        "::warning title=TL206 negated-boolean,file=my shop/specs/a b%2Cc.yaml,line=3,endLine=3,col=5,endColumn=9::"
        "100%25 of%0Ait: bad, ::error::x%0Ahelp: change it\n"
    )


def test_a_sarif_result_names_its_rule_and_its_places() -> None:
    rules = rule_texts()
    log = sarif_log(entries_of([FOUND], rules, {}), rules, "my shop/")
    (run,) = log["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "TL206"
    assert result["level"] == "warning"
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "my%20shop/specs/a%20b%2Cc.yaml", "uriBaseId": "%SRCROOT%"}
    assert location["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9}
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["endLine"] == 9
    assert len(run["tool"]["driver"]["rules"]) == len(rules)


def test_a_sarif_fix_is_the_edit_by_characters() -> None:
    files = files_of("""
        toolset: shop
        tools:
          find: {description: Search  the orders., permission: readonly}
    """)
    outcome = linted(files)
    log = sarif_log(entries_of(outcome.findings, rule_texts(), outcome.fixes), rule_texts())
    (result,) = json.loads(json.dumps(log))["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    text = files["specs/1.yaml"]
    start, end = region["charOffset"], region["charOffset"] + region["charLength"]
    assert text[start:end] == "Search  the orders."
    assert replacement["insertedContent"]["text"] == "Search the orders."
