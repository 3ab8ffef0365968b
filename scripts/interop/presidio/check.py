# Reads lines of JSON with a text before and after masking, and prints what Presidio finds in both, by kind.
# Only recognizers that work by patterns and check digits are used: they need no model of a language.
import json
import sys

import tldextract
from presidio_analyzer.predefined_recognizers import (
    CreditCardRecognizer,
    EmailRecognizer,
    IbanRecognizer,
    InAadhaarRecognizer,
    PhoneRecognizer,
    UsSsnRecognizer,
)

# The list of public suffixes that came with the package: nothing is fetched.
tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())
tldextract.tldextract.TLD_EXTRACTOR = tldextract.extract

RECOGNIZERS = {
    "email": EmailRecognizer(),
    "phone": PhoneRecognizer(),
    "card": CreditCardRecognizer(),
    "iban": IbanRecognizer(),
    "us-ssn": UsSsnRecognizer(),
    "in-aadhaar": InAadhaarRecognizer(),
}
# Below it, Presidio itself wants words around a number that say what it is.
SURE = 0.4


def found(recognizer, text):
    results = recognizer.analyze(text, recognizer.supported_entities, None)
    return [text[one.start : one.end] for one in results or [] if one.score >= SURE]


counts = {kind: {"planted": 0, "found": 0} for kind in RECOGNIZERS}
leaks = []
for line in sys.stdin:
    one = json.loads(line)
    kind = one["kind"]
    if kind in RECOGNIZERS:
        counts[kind]["planted"] += 1
        counts[kind]["found"] += bool(found(RECOGNIZERS[kind], one["before"]))
    for name, recognizer in RECOGNIZERS.items():
        leaks += [
            {"kind": kind, "as": name, "place": one["place"], "text": text}
            for text in found(recognizer, one["after"])
        ]
print(json.dumps({"counts": counts, "leaks": leaks}))
