"""Synonyms: words that people use for one another when they ask for a tool. General ones; a domain has its own."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from toolgen.search.stemming import stem

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROUPS: Final = (
    # what is done
    "analyze analyse analysis evaluate assess examine inspect",
    "apply submit request",
    "approve accept confirm",
    "arrange plan schedule organize appointment",
    "begin start launch initiate open",
    "book reserve reservation booking",
    "buy purchase order shop shopping",
    "calculate compute estimate calculation",
    "cancel stop end terminate abort",
    "check verify validate test inspect examine",
    "choose select pick",
    "collect gather aggregate",
    "combine merge join",
    "compare comparison versus vs difference",
    "connect link integrate pair connection integration",
    "convert transform translate conversion",
    "copy duplicate clone",
    "create make generate add new build",
    "delete remove erase wipe clear drop rid discard",
    "describe explain",
    "download fetch retrieve get read load",
    "find search locate lookup look discover query",
    "fix repair mend solve resolve",
    "hide conceal mask",
    "improve enhance optimize optimise boost improvement",
    "inquire ask query question",
    "install setup configure set configuration settings",
    "list show display view see",
    "list exist available",
    "lower reduce decrease cut",
    "log print output stdout stderr console",
    "monitor track watch follow observe",
    "move transfer relocate",
    "notify alert warn notification warning reminder remind",
    "pay payment transaction",
    "predict forecast prediction projection future",
    "protect secure security safe safety",
    "raise increase grow",
    "recommend suggest advise recommendation suggestion advice tip idea",
    "register enroll signup subscribe",
    "rename call label",
    "save store keep backup archive",
    "sell sale",
    "send deliver dispatch email message",
    "share post publish",
    "sort order rank classify categorize organize arrange",
    "summarize summary overview brief",
    "teach educate instruct learn study education learning course lesson",
    "undo revert rollback restore recover reverse",
    "swap exchange switch trade replace",
    "scale resize replica instance",
    "postpone delay reschedule defer",
    "refund reimburse repay reimbursement",
    "reply answer respond response",
    "enable activate",
    "disable deactivate",
    "block ban",
    "update edit modify change adjust alter",
    "upload import attach",
    "write compose draft text",
    # what it is done to
    "address location place position",
    "advert ad advertisement advertise advertising promotion promote",
    "agriculture crop farm farming",
    "animal wildlife species",
    "art artwork painting drawing",
    "band group team",
    "bug error defect fault issue problem",
    "bus train transit transport transportation",
    "calendar schedule date",
    "baggage luggage suitcase bag",
    "car vehicle automobile auto",
    "cheap affordable budget inexpensive deal discount",
    "city town",
    "client customer buyer",
    "clothes clothing wear outfit dress fashion",
    "cloud server",
    "color colour",
    "company business firm enterprise corporation organization",
    "computer pc laptop",
    "contract agreement",
    "cost price pricing fee charge expense",
    "country nation",
    "currency exchange money",
    "data gigabyte megabyte gb mb",
    "delivery shipping ship shipment courier",
    "diet nutrition",
    "disease illness sickness",
    "doctor physician",
    "document file paper",
    "email mail",
    "employee staff worker personnel",
    "encrypt encryption",
    "energy electricity power",
    "event concert festival party",
    "exercise workout fitness training",
    "exhibition exhibit show",
    "feedback review rating comment opinion",
    "film movie cinema",
    "flight plane airline",
    "flower plant garden",
    "folder directory",
    "forest woodland",
    "game gaming play",
    "gift present",
    "graph chart plot visualize visualization",
    "green eco environmental sustainable sustainability",
    "headline news",
    "health medical",
    "history historical historic past",
    "home house property residence",
    "hotel accommodation lodging stay",
    "image picture photo photograph",
    "insect bug pest",
    "insurance coverage",
    "invest investment investor",
    "invoice bill receipt",
    "issue ticket",
    "job employment career work",
    "kid child children toddler",
    "lamp light lighting",
    "language translate translation",
    "law legal regulation rule",
    "loan mortgage credit",
    "login log sign authenticate signin",
    "meal food dish recipe cook",
    "medicine drug medication",
    "meeting conference",
    "message text sms chat",
    "money finance financial",
    "money fund cash",
    "museum gallery",
    "music song track",
    "near nearby close around local",
    "package parcel",
    "password credential",
    "permission permit license access",
    "phone mobile smartphone telephone",
    "pollution pollutant contamination",
    "popular trending trend top",
    "pull merge",
    "recent latest new current modern",
    "repo repository",
    "restaurant dining dinner",
    "route road directions navigation path",
    "school university college",
    "sea ocean marine",
    "shoe footwear",
    "sleep rest",
    "sport sports athletic",
    "statistics stats metrics",
    "stock share equity",
    "student pupil",
    "task todo",
    "tax taxation",
    "teacher educator instructor",
    "team group",
    "trip travel journey vacation holiday tour",
    "user account profile member",
    "vaccine vaccination immunization",
    "video clip movie",
    "weather forecast temperature climate rain",
    "web website site internet online",
)


_VERBS: Final = (
    ("call(?:s|ed|ing)?", "off", "cancel"),
    ("gets?|got|getting", "rid of", "delete"),
    ("throws?|threw|throwing", "away", "delete"),
    ("puts?|putting", "off", "postpone"),
    ("pays?|paid|paying", "back", "refund"),
    ("sends?|sent|sending|gives?|gave|giving", "back", "return"),
    ("brings?|brought|bringing", "back", "restore"),
    ("shuts?|shutting", "down", "stop"),
    ("(?:switch|turn)(?:es|s|ed|ing)?", "off", "disable"),
    ("(?:switch|turn)(?:es|s|ed|ing)?", "on", "enable"),
)
"""Verbs of two parts that mean something else than each part, and what they mean; "it" and its kind stand between."""

_MEANT: Final = tuple(
    (re.compile(rf"\b(?:{verb})\s+(?:(?:it|this|that|them|these|those)\s+)?{rest}\b", re.IGNORECASE), meaning)
    for verb, rest, meaning in _VERBS
)


def meant(query: str) -> str:
    """Give a query, and behind it what its verbs of two parts mean."""
    return " ".join((query, *(meaning for verb, meaning in _MEANT if verb.search(query))))


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """Give the synonyms of every stem that has some."""
    found: dict[str, dict[str, None]] = {}
    for group in _GROUPS:
        stems = dict.fromkeys(map(stem, group.split()))
        for word in stems:
            found.setdefault(word, {}).update(stems)
    return {word: tuple(other for other in others if other != word) for word, others in found.items()}
