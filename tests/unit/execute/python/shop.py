"""A shop in Python: what is imported in tests."""

import datetime as dt
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

from pydantic import BaseModel, Field, field_validator
from typing_extensions import TypedDict

from toolgen.contract.records import ToolCallMeta, ToolResult


class Size(Enum):
    """Sizes."""

    SMALL = "s"
    LARGE = "l"


class Level(IntEnum):
    """Levels."""

    LOW = 1
    HIGH = 2


class Item(BaseModel):
    """An item."""

    name: str = Field(description="What it is called.")
    size: Size = Size.SMALL
    made_on: dt.date | None = Field(None, alias="madeOn")

    @field_validator("name")
    @classmethod
    def _is_named(cls, name: str) -> str:
        if name == "nameless":
            raise ValueError("an item needs a name")
        return name


@dataclass
class Address:
    """Where somebody lives."""

    street: str
    lines: list[str] = field(default_factory=list)


class Options(TypedDict):
    """Options of an order."""

    gift: bool
    note: NotRequired[str]


def order(
    item: Item,
    address: Address,
    when: dt.datetime,
    options: Options,
    size: Size = Size.LARGE,
    level: Level = Level.LOW,
    kind: Literal["fast", "slow"] = "slow",
    count: Annotated[int, Field(ge=1, le=9, description="How many.")] = 1,
    limit: int = Field(5, ge=1),
    price: Decimal = Decimal("1.50"),
    key: UUID | None = None,
    either: int | list[str] = 0,
) -> dict[str, Any]:
    """Order an item.

    Args:
        item: What to order.
        count: This loses to the annotation.
        when: When it
            is needed.
    """
    given = locals()
    return {name: f"{type(value).__name__}: {value}" for name, value in given.items()}


async def ship(item: Item, *, to: Address, meta: ToolCallMeta) -> Item:
    """Ship an item."""
    return Item(name=f"{item.name} to {to.street} for {meta.user}", madeOn=dt.date(2020, 1, 2))


def track(number: int, /) -> ToolResult[list[dt.datetime]]:
    """Track a parcel."""
    return ToolResult(value=[dt.datetime(2020, 1, number, tzinfo=dt.UTC)], message="moved")


def promise() -> Awaitable[Size]:
    """Promise a size."""

    async def kept() -> Size:
        return Size.LARGE

    return kept()


def nothing() -> None:
    """Do nothing."""


def untyped(first, second=2):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, RUF100  # as users write them
    return {"first": first, "second": second}


def stops() -> int:
    """Raise what iterators raise."""
    return next(iter([]))


def wrong() -> int:
    """Return what the annotation does not say."""
    return "text"  # type: ignore[return-value]  # the point


class Price(BaseModel):
    amount: float | None


@dataclass
class Rate:
    of: Price | None = None
    each: list[float] | None = None


def rate(at: int) -> Rate:
    """One of several results with a number that JSON does not have."""
    nan, infinity = float("nan"), float("inf")
    return (Rate(of=Price(amount=nan)), Rate(each=[1.0, infinity]), Rate(of=Price(amount=1.5)))[at]


def rates(at: int) -> float | list[Price] | None:
    """The same, of a type that is no class."""
    return (float("nan"), [Price(amount=float("-inf"))], [Price(amount=None)])[at]


class Cat(BaseModel):
    """A cat."""

    kind: Literal["cat"]


class Dog(BaseModel):
    """A dog."""

    kind: Literal["dog"]


class Node(BaseModel):
    """A node of a tree."""

    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    children: list["Node"] = []


def walk(node: Node) -> Node:
    """Walk a tree."""
    assert all(isinstance(each, Node) for each in node.children)
    return node


def endless(most: float = float("inf")) -> bool:
    """Return whether there is no bound."""
    return most == float("inf")


def spread(*args: int) -> int:
    """Add numbers."""
    return sum(args)


def keywords(**kwargs: int) -> int:
    """Add numbers."""
    return sum(kwargs.values())


def callback(done: Callable[[int], None]) -> None:
    """Call back."""
    done(1)


def numbers() -> Iterator[int]:
    """Yield numbers."""
    yield 1


def unknown(item: "Missing") -> None:  # type: ignore[name-defined]  # noqa: F821  # the point
    """Take what is not known."""


def handle() -> Callable[[], int]:
    """Return what JSON does not have."""
    return int


class Register:
    """A register of what was sold."""

    def __init__(self, start: int = 0) -> None:
        self.count = start

    def sell(self, size: Size = Size.SMALL) -> int:
        """Sell one.

        :param size: How large it is.
        """
        assert isinstance(size, Size)
        self.count += 1
        return self.count

    @classmethod
    def create(cls, start: int) -> int:
        """Make a register."""
        return cls(start).count

    @staticmethod
    def currency() -> str:
        """Return the currency."""
        return "EUR"

    def _secret(self) -> None: ...


class Branch(Register):
    """A register of a branch."""

    def close(self) -> int:
        """Close it."""
        return -self.count


class Bank:
    """Something that needs a key."""

    def __init__(self, key: str) -> None:
        self.key = key

    def pay(self, amount: float) -> str:
        """Pay."""
        return f"{amount} with {self.key}"


register = Branch(10)
bank = Bank("k")
LIMIT = 10
