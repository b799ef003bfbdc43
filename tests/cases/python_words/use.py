from __future__ import annotations

from cases.python_words.class_.tools import import_
from cases.python_words.email_.types.tools import json

assert import_.FROM == "class.import.from"
request = import_.new_from_call(from_="a", class_=1, import_=True, type="b")
assert request.payload == b'{"class":1,"from":"a","import":true,"type":"b"}'
assert import_.new_idents_call(idents="a", codecs_="b").payload == b'{"codecs":"b","idents":"a"}'
assert import_.new_codecs_call(codecs_="a").name == "class.import.codecs"
assert import_.new_calls_call(build_call="a").payload == b'{"build_call":"a"}'
assert import_.new_zip_call(id="a").payload == b'{"id":"a"}'
hidden = import_.HiddenArgs(id=1, type=True, filter="a", zip=[1], list_="b", str_="a", object="a", max=False)
assert import_.codecs.args(import_.HIDDEN).encode(hidden) == (
    b'{"filter":"a","id":1,"list":"b","max":false,"object":"a","str":"a","type":true,"zip":[1]}'
)
fields = import_.PydanticArgs(mro_="a", register_="b", copy_="c", json_="d", schema_="e", validate_="f", Kind_="a")
assert fields.model_fields_set == {"mro_", "register_", "copy_", "json_", "schema_", "validate_", "Kind_"}
assert import_.Codec(Codec_="a", Warning_=import_.Warning(message="b")).Warning_ == import_.Warning(message="b")
assert json.TYPES == "email.types.json.types"
