"""`old`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs as ArraysArgs, ArraysResult as ArraysResult
    from .types.newer_words import NewerWordsArgs as NewerWordsArgs, NewerWordsResult as NewerWordsResult
    from .types.objects import ObjectsArgs as ObjectsArgs, ObjectsResult as ObjectsResult
    from .types.recursive import RecursiveArgs as RecursiveArgs, RecursiveResult as RecursiveResult
    from .types.shared import Tag as Tag, Tree as Tree
    from .types.siblings import SiblingsArgs as SiblingsArgs, SiblingsResult as SiblingsResult
    from . import codecs as codecs
    from .calls import (
        new_arrays_call as new_arrays_call,
        new_newer_words_call as new_newer_words_call,
        new_objects_call as new_objects_call,
        new_recursive_call as new_recursive_call,
        new_siblings_call as new_siblings_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        ARRAYS as ARRAYS,
        NEWER_WORDS as NEWER_WORDS,
        OBJECTS as OBJECTS,
        RECURSIVE as RECURSIVE,
        SIBLINGS as SIBLINGS,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ARRAYS": ".idents",
            "ArraysArgs": ".types.arrays",
            "ArraysResult": ".types.arrays",
            "Handlers": ".dispatch",
            "NEWER_WORDS": ".idents",
            "NewerWordsArgs": ".types.newer_words",
            "NewerWordsResult": ".types.newer_words",
            "OBJECTS": ".idents",
            "ObjectsArgs": ".types.objects",
            "ObjectsResult": ".types.objects",
            "RECURSIVE": ".idents",
            "RecursiveArgs": ".types.recursive",
            "RecursiveResult": ".types.recursive",
            "SIBLINGS": ".idents",
            "SiblingsArgs": ".types.siblings",
            "SiblingsResult": ".types.siblings",
            "Tag": ".types.shared",
            "Tree": ".types.shared",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_arrays_call": ".calls",
            "new_newer_words_call": ".calls",
            "new_objects_call": ".calls",
            "new_recursive_call": ".calls",
            "new_registration": ".dispatch",
            "new_siblings_call": ".calls",
        },
    )
