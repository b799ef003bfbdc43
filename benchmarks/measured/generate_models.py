"""The peer: models for all schemas of a file, by one call of datamodel-code-generator with its fastest settings.

No formatter, no timestamp, enums as literals, and `Annotated`: pydantic models, which toolgen generates too. From a
file's text or from a dict, with `field_constraints`, without `Annotated`, with other naming strategies: all within the
noise, or slower. Dataclasses and TypedDicts take as long; msgspec Structs a third longer.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from datamodel_code_generator import InputFileType, LiteralType, generate
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import PythonVersion


def main() -> None:
    output = generate(
        json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")),
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        formatters=[],
        disable_timestamp=True,
        enum_field_as_literal=LiteralType.All,
        use_annotated=True,
    )
    print(json.dumps({"characters": len(str(output))}))


if __name__ == "__main__":
    main()
