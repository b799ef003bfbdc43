"""Texts with a special meaning in generated code, templates or viewers, if they are not escaped."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "empty": "",
    "blank": " ",
    "quotes": "'\"",
    "double quotes at both ends": '"quoted"',
    "triple quotes": '"""',
    "triple single quotes": "'''",
    "quotes of all numbers": "\"\"\"\"\"'''''",
    "ends a docstring": '"""\nimport os\nos.system("x")\n"""',
    "ends a string": "'); import os; os.system('x') #",
    "ends a list": '"]]; import os #',
    "trailing backslash": "ends in \\",
    "trailing quote": 'ends in "',
    "backslash before quotes": '\\"""',
    "backslashes": "\\n \\N{BULLET} \\u0041 \\x41 \\",
    "newline": "two\nlines",
    "newlines at the ends": "\n\nbetween\n\n",
    "indented lines": "a\n    b\n\tc\n  d",
    "carriage return": "a\rb\r\nc",
    "form feed": "a\fb\vc",
    "line separators": "a\u2028b\u2029c\x85d",
    "tab": "a\tb",
    "null": "a\0b",
    "controls": "\x1b[31m\x07\x08\x7f\x9b",
    "bidi": "\u202eevil\u2066\u202c",
    "zero width": "a\u200b\u200d\ufeffb",
    "combining": "e\u0301\u0327",
    "beyond the plane": "\U0001f600\U000e0041\U0010ffff",
    "noncharacters": "\ufffe\uffff\ufdd0",
    "lone surrogate": "a\ud800b",
    "lone low surrogate": "\udc00",
    "jinja expression": "{{ 7 * 7 }}",
    "jinja statement": "{% for x in (1, 2) %}{{ x }}{% endfor %}{% raw %}",
    "jinja comment": "{# #}",
    "unclosed jinja": "{{ {% {#",
    "braces": "{x} {0} {} {{}} }}{{",
    "template": "{{args.text}}",
    "percent": "%s %(x)d %%",
    "dollars": "$entry $args.x $$ ${x} $env.HOME",
    "comment": "# type: ignore  # noqa  # fmt: off",
    "ends a comment": "*/ --> -- <!-- ]]>",
    "html": "<script>alert(1)</script>",
    "entity": "&lt;b&gt; &#60;",
    "markdown": "# heading\n\n- list\n\n| a | table |\n|---|---|\n\n```\ncode",
    "markdown link": "[x](javascript:alert(1)) ![x](http://example.com/x.png)",
    "pipes": "a|b \\| c",
    "backticks": "`a` ``` b",
    "path": "../../elsewhere",
    "absolute path": "/outside/all",
    "windows path": "C:\\outside\\..",
    "url": "https://example.com/?a=b#c",
    "reference": "#/types/Nothing",
    "yaml": "- a: &b *c !!d",
    "json": '{"$ref": "#"}',
    "number": "1e400",
    "not a number": "NaN",
    "word of Python": "None",
    "dunder": "__class__",
    "wire token": "W0x",
    "class token": "C1x",
    "literal token": "L7x",
    "JSON token": "J0x",
    "default token": "V3x",
    "attribute token": "P3x",
    "quoted tokens": "'W0x' 'L7x' C1x J0x 'V3x' P3x",
    "annotations": 'Annotated[Literal["a"], Field(alias="b")] = JsonValue',
}


def long_texts(length: int) -> dict[str, str]:
    """Return texts of about so many characters, all of which are escaped somewhere."""
    return {
        "quotes": '"' * length,
        "backslashes": "\\" * (length + 1),
        "lines": "{{ x }} \\ \" '\n" * (length // 14),
        "braces": "{{" * (length // 2),
    }


LARGE: Final = long_texts(200_000)
MEGABYTE: Final = long_texts(1_000_000)
"""As `LARGE`, for the long suite: what takes more than linear time takes hours of either."""

TOKENS: Final = tuple(name for name in TEXTS if name.endswith(" token"))
"""Placeholders that `emit/models.py` gives to datamodel-code-generator instead of a name or a literal."""
