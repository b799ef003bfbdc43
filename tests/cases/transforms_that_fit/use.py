from __future__ import annotations

from cases.transforms_that_fit.crm.tools import contacts

email = contacts.Email(address="ada@example.com")

# Injected fields are keywords; what is absent stays absent, and null stays null.
args = contacts.SaveArgs(name="Ada", emails=[email])
payload = contacts.to_method_payload_save(args, tenant_id="t-1")
assert payload.model_dump(exclude_unset=True) == {
    "tenant_id": "t-1",
    "name": "Ada",
    "emails": [{"address": "ada@example.com"}],
    "limit": 10,
}
assert "tag" not in payload.model_fields_set
bare = contacts.to_method_payload_save(contacts.SaveArgs(name="Ada"), tenant_id="t-1")
assert bare.model_dump(exclude_unset=True) == {"tenant_id": "t-1", "name": "Ada", "limit": 10}
cleared = contacts.to_method_payload_save(contacts.SaveArgs(name="Ada", tag=None), tenant_id="t-1")
assert "tag" in cleared.model_fields_set

# Equal shapes pass as they are.
contact = contacts.Contact(id="1", name="Ada")
assert contacts.to_tool_return_save(contact) is contact
assert contacts.to_tool_return_same([contact]) == [contact]

# Objects of the same fields become those of the other side.
nested = contacts.NestedArgs(filter=contacts.NestedArgsFilter(text="x"), class_="a", since="now")
made = contacts.to_method_payload_nested(nested)
assert (made.filter, made.from_, made.class_) == (contacts.NestedPayloadFilter(text="x"), "now", "a")
absent = contacts.to_method_payload_nested(contacts.NestedArgs(filter=contacts.NestedArgsFilter(text="x"), class_="a"))
assert absent.model_dump(exclude_unset=True, by_alias=True) == {"filter": {"text": "x"}, "class": "a"}
found = contacts.NestedMethodResult(items=[contacts.NestedMethodResultItemsItem(id="1")])
assert contacts.to_tool_return_nested(found).items == [contacts.NestedResultItemsItem(id="1")]

# Other keys of open objects go along.
opened = contacts.OpenArgs.model_validate({"a": "x", "b": [1]})
assert contacts.to_method_payload_open(opened).model_extra == {"b": [1]}

names = contacts.to_method_payload_names(contacts.NamesArgs(), args="a", result="b", made="c", rebuilt_="d")
assert (names.args, names.result, names.made, names.rebuilt_) == ("a", "b", "c", "d")
