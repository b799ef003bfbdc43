from __future__ import annotations

from cases.python_words.class_.tools import import_

assert import_.FROM == "class.import.from"
request = import_.new_from_call(from_="a", class_=1, import_=True, type_="b")
assert request.payload == b'{"class":1,"from":"a","import":true,"type":"b"}'
assert import_.new_idents_call(idents_="a", codecs_="b").payload == b'{"codecs":"b","idents":"a"}'
assert import_.new_codecs_call(codecs_="a").name == "class.import.codecs"
assert import_.new_calls_call(build_call_="a").payload == b'{"build_call":"a"}'
