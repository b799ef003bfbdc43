"""A rule restricts a tool by any of its names, and an agent holds one by any name that certainly means it."""

from toolgen.runtime import Runtime, deny_all, load
from toolgen.runtime.policy.effective import ExclusionReason
from toolgen.runtime.policy.policy import Answer, Policies

catalog = load("cases.rules_in_any_spelling")
runtime = Runtime(catalog, permission=deny_all, missing=catalog.toolsets)
policies = Policies(catalog.section("policies"), catalog.names)
answers = {ident: policies.judge(entry, "main", "").answer for ident, entry in catalog.entries.items()}
assert answers == {
    "mcp.issues.create_issue": Answer.DENY,
    "team.notes.add": Answer.DENY,
    "team.notes.drop": Answer.EXCLUDE,
    "team.notes.keep": Answer.DENY,
    "team.notes.list-all": Answer.DENY,
    "team.notes.research": Answer.DENY,
    "team.notes.tell": Answer.ASK,
}
run = runtime.start_run("ann", requested=["team__notes__list-all", "note__add", "mcp.issues.create_issue"])
held = {ident for ident, reason in run.effective.excluded.items() if reason is ExclusionReason.NO_EXECUTOR}
assert held == {"team.notes.list-all", "team.notes.add", "mcp.issues.create_issue"}, "nothing runs them here"
assert run.effective.excluded["team.notes.keep"] is ExclusionReason.NOT_REQUESTED
