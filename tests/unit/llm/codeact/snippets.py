"""Random snippets: valid, broken and hostile Python, as written by models and prompt injections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

NAMES: Final = (
    "a", "b", "items", "x", "result", "lab__echo", "lab__fail", "lab__hidden", "lab__nothing", "_toolgen_call",
    "toolgen_call", "print", "len", "type", "str", "dict", "map", "json", "Any", "TypedDict", "reveal_type", "self",
    "exec", "locals", "BaseException", "LookupError", "Filters", "é", "__x", "_",
)  # fmt: skip
"""Names that are read, called and bound."""

TEXTS: Final = (
    "", "x", "result: 42", "\n| fake", "\x1b[2J", "\u202eabc", "\u200b", "\U000e0001", "```", "'\"\\", "{0.__class__}",
    "\x00", "é" * 3, "nothing was run", "\r\nerror: line 1", "%s%n", "\u2028", "\uffff",
)  # fmt: skip

HOSTILE: Final = (
    "def f(n): return f(n + 1)\nf(0)",
    "while True: pass",
    "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "while True: print('x' * 1000)",
    "while True:\n    try:\n        lab__echo(x=1)\n    except BaseException: pass",
    "while True:\n    try:\n        exec('lab__hidden()')\n    except BaseException: pass",
    "result = 'a' * 10**9",
    "result = [0] * 10**9",
    "result = {i: str(i) for i in range(10**8)}",
    "x = []\nfor _ in range(10**5): x = [x]\nresult = x",
    "x = []\nx.append(x)\nresult = x",
    "result = 10 ** 10**8",
    "result = '%100000000d' % 1",
    "lab__echo(x='a' * 10**7)",
    "result = lab__echo(x=['a' * 1000] * 1000)",
    "print('a' * 10**7)",
    "for i in range(10**5): print(i)",
    "raise ValueError('a' * 10**7)",
    "def f():\n    raise f\nf()",
    "class E(Exception): pass\nraise E(E)",
    "exec('exec(' * 50)",
    "exec('x = 1\\n' * 10**5)",
    "eval('(' * 5000)",
    "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
    "import json\nresult = json.loads('[' * 10**5)",
    "for k in eval('locals()'): exec(f'{k} = 5')",
    "x = " + "[" * 3000 + "]" * 3000,
    "x" + ".a" * 3000,
    "lambda: " * 1000 + "0",
    "f'" + '{f"' * 100,
    "x = '\ud800'",
    "async def f(): pass\nf()",
    "def g():\n    yield 1\nresult = list(g())",
    "from __future__ import annotations\nx: Foo = 1",
    "# type: ignore\nlab__echo(1, 2, 3)",
    "import os, sys, socket\nos.kill(os.getppid(), 9)",
    "open('/etc/passwd').read()",
    "result = print",
    "result = {1: 2}",
    "result = float('nan')",
    "del x",
    "'''",
    "x: int = ''",
    "return 5",
    "\t\tx = 1",
)  # fmt: skip


def snippet(random: Random) -> str:
    """Return a snippet of several statements, one in four of them hostile, one in six of them damaged afterwards."""
    lines = [
        random.choice(HOSTILE) if random.random() < 0.25 else _statement(random, 0) for _ in range(random.randint(1, 6))
    ]
    code = "\n".join(lines)
    return _damaged(random, code) if random.random() < 1 / 6 else code


def _statement(random: Random, depth: int) -> str:
    kind = random.randrange(14 if depth < 3 else 7)
    name, value = random.choice(NAMES), _expression(random, 0)
    match kind:
        case 0 | 1:
            return f"{name} = {value}"
        case 2:
            return f"result = {value}"
        case 3:
            return f"print({value}, {value!r})"
        case 4:
            return f"{name}: Any = {value}"
        case 5:
            return f"exec({f'{name} = {value}'!r})"
        case 6:
            return value
        case 7:
            return f"def {name}(*a, **k):\n{_block(random, depth)}"
        case 8:
            return f"class {name}:\n    y = {value}"
        case 9:
            return f"for {name} in range({random.randrange(4)}):\n{_block(random, depth)}"
        case 10:
            return f"if {value}:\n{_block(random, depth)}\nelse:\n{_block(random, depth)}"
        case 11:
            return f"try:\n{_block(random, depth)}\nexcept {random.choice(NAMES)} as {name}:\n{_block(random, depth)}"
        case 12:
            return f"try:\n{_block(random, depth)}\nfinally:\n{_block(random, depth)}"
        case _:
            return f"raise {random.choice(['ValueError', 'KeyError', 'BaseException', name])}({value})"


def _block(random: Random, depth: int) -> str:
    inner = "\n".join(_statement(random, depth + 1) for _ in range(random.randint(1, 2)))
    return "\n".join(f"    {line}" for line in inner.split("\n"))


def _expression(random: Random, depth: int) -> str:
    kind = random.randrange(11 if depth < 3 else 5)
    match kind:
        case 0:
            return repr(random.choice(TEXTS))
        case 1:
            return repr(random.choice([0, 1, -1, 2**70, 1.5, None, True]))
        case 2 | 3:
            return random.choice(NAMES)
        case 4:
            return f"{random.choice(['', 'lab.', 'self.'])}{random.choice(NAMES)}({_arguments(random)})"
        case 5:
            return f"[{_expression(random, depth + 1)} for x in range({random.randrange(4)})]"
        case 6:
            return f"{{{random.choice(TEXTS)!r}: {_expression(random, depth + 1)}}}"
        case 7:
            return f"{_expression(random, depth + 1)} {random.choice('+-*/%')} {_expression(random, depth + 1)}"
        case 8:
            return f"eval({_expression(random, depth + 1)!r})"
        case 9:
            return f"(lambda x: {_expression(random, depth + 1)})({_expression(random, depth + 1)})"
        case _:
            return f"{_expression(random, depth + 1)}[{_expression(random, depth + 1)}]"


def _arguments(random: Random) -> str:
    return random.choice(["", "x=1", "1", "x=[1, {'a': None}]", "x=print", "x='\\u202e'", "1, 2", "y=1", "**{'x': 2}"])


def _damaged(random: Random, code: str) -> str:
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(code) + 1)
        if random.random() < 0.5:
            code = code[:place] + code[place + random.randint(1, 4) :]
        else:
            code = (
                code[:place] + random.choice(["(", "'", "\n", "\x00", "    ", ":", '"""', "\u202e", "#"]) + code[place:]
            )
    return code
