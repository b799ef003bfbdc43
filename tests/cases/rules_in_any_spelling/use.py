"""A rule restricts a tool by any of its names, and an agent holds one by any name that certainly means it."""

from toolgen.runtime import ExclusionReason, Policies, PolicyAnswer, Runtime, deny_all, load

catalog = load("cases.rules_in_any_spelling")
runtime = Runtime(catalog, permission=deny_all, missing=catalog.toolsets)
policies = Policies(catalog.section("policies"), catalog.names)
answers = {ident: policies.judge(entry, "main", "").answer for ident, entry in catalog.entries.items()}
assert answers == {
    "mcp.issues.create_issue": PolicyAnswer.DENY,
    "team.notes.add": PolicyAnswer.DENY,
    "team.notes.drop": PolicyAnswer.EXCLUDE,
    "team.notes.keep": PolicyAnswer.DENY,
    "team.notes.list-all": PolicyAnswer.DENY,
    "team.notes.research": PolicyAnswer.DENY,
    "team.notes.tell": PolicyAnswer.ASK,
}
run = runtime.start_run("ann", requested=["team__notes__list-all", "note__add", "mcp.issues.create_issue"])
held = {ident for ident, reason in run.effective.excluded.items() if reason is ExclusionReason.NO_EXECUTOR}
assert held == {"team.notes.list-all", "team.notes.add", "mcp.issues.create_issue"}, "nothing runs them here"
assert run.effective.excluded["team.notes.keep"] is ExclusionReason.NOT_REQUESTED
