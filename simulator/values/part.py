"""What a scenario configures by naming its type: an assigner, a trigger, an evictor, a watermark generator."""

from dataclasses import Field
from typing import Any, ClassVar


class Part:
    """Frozen configuration, a dataclass whose fields are keys of the format.

    ``family`` and ``type`` say where the catalogue has its words: ``triggers.count``. ``type`` is its name in a
    scenario file as well.
    """

    __slots__ = ()

    family: ClassVar[str]
    type: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
