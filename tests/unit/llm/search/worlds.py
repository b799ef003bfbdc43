"""Documents for tests: a few readable ones, and random sets drawn by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from toolgen.search.documents import SearchDocument


def document(
    key: str, description: str = "", *, parameters: tuple[str, ...] = (), tags: tuple[str, ...] = ()
) -> SearchDocument:
    """Return a document named like its key."""
    return SearchDocument(key=key, names=(key,), description=description, parameters=parameters, tags=tags)


TOOLS = (
    document("mail.send_message", "Send a message to a person.", parameters=("recipient", "body")),
    document("mail.list_messages", "List the messages of an inbox.", tags=("readonly",)),
    document("shop.cancel_order", "Cancel an order that was not shipped.", parameters=("order_id",)),
    document("weather.forecast", "Temperature and rain of a place, for some days.", parameters=("city",)),
    document("accounts.reset_password", "Let a person choose a new passphrase."),
)

WORDS = ("send", "messages", "message", "order", "cancel", "create", "delete", "weather", "citys", "cities", "wifi")
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
keys = st.sampled_from([f"k{number}" for number in range(9)])
worlds = st.dictionaries(keys, texts, max_size=8).map(lambda world: [document(*each) for each in world.items()])
queries = st.one_of(texts, st.sampled_from(["mesage", "cancle order", "wi fi", "cites", "k1 k2 sendmessage", "\u5929"]))
