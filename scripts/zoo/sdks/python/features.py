"""What the zoo's clients in Python try; each prints one line of JSON for each feature."""

import json
import sys
import traceback
import warnings

import anyio

warnings.simplefilter("ignore")
PATIENCE = 15


class Peer:
    """What a client of one SDK adds: `request` of any kind, and what it was told in `logs` and `events`."""

    def __init__(self) -> None:
        self.logs: list[str] = []
        self.events: list[str] = []
        self.revision = ""

    def told(self, message) -> None:
        """Takes a notification, in the shape of either version of the SDK."""
        found = getattr(message, "root", message)
        method = getattr(found, "method", type(found).__name__)
        uri = getattr(getattr(found, "params", None), "uri", "")
        self.events.append(f"{method} {uri}".strip())


def as_json(model) -> dict:
    return model.model_dump(mode="json", by_alias=True)


def text_of(result) -> str:
    return as_json(result)["content"][0]["text"]


def must(seen, wanted) -> None:
    if seen != wanted:
        raise AssertionError(f"{seen!r} instead of {wanted!r}")


def must_hold(seen, wanted) -> None:
    if wanted not in seen:
        raise AssertionError(f"{seen!r} without {wanted!r}")


async def until(condition) -> None:
    while not condition():
        await anyio.sleep(0.05)


async def list_(peer) -> None:
    must_hold([tool.name for tool in await peer.tools()], "echo")


async def echo(peer) -> None:
    must(text_of(await peer.call("echo", {"text": "grüße 🦓"})), "grüße 🦓")


async def structured(peer) -> None:
    must(as_json(await peer.call("add", {"a": 2, "b": 3}))["structuredContent"]["sum"], 5)


async def error(peer) -> None:
    must(as_json(await peer.call("fail"))["isError"], True)


async def progress(peer) -> None:
    steps = []

    async def on_progress(step, total=None, message=None) -> None:
        steps.append(int(step))

    await peer.call("progress", {}, on_progress)
    must(steps, [1, 2, 3])


async def log(peer) -> None:
    await peer.set_log_level()
    await peer.call("log")
    with anyio.fail_after(3):
        await until(lambda: any("a line" in line for line in peer.logs))


async def elicit(peer) -> None:
    must(text_of(await peer.call("ask")), "Hello, Ada")


async def elicit_live(peer) -> None:
    must(text_of(await peer.call("ask_live")), "Hello, Ada")


async def sample(peer) -> None:
    must_hold(text_of(await peer.call("sample")), "zebra")


async def roots(peer) -> None:
    must_hold(text_of(await peer.call("roots")), "file:///zoo")


async def one(peer):
    return next(item.uri for item in await peer.resources() if item.name == "one")


async def read(peer) -> None:
    must(await peer.read(await one(peer)), "note one")


async def template(peer) -> None:
    found = as_json((await peer.templates())[0])["uriTemplate"]
    must(await peer.read(found.replace("{name}", "two")), "note two")


async def updated(peer) -> None:
    uri = await one(peer)
    async with peer.listening(uri):
        await peer.call("touch")
        await until(lambda: f"notifications/resources/updated {uri}" in peer.events)


async def prompt(peer) -> None:
    must(as_json(await peer.prompt("greet", {"name": "Ada"}))["messages"][0]["content"]["text"], "Greet Ada")


async def complete(peer) -> None:
    must(sorted(await peer.complete("greet", "name", "A")), ["Ada", "Alan"])


async def changed(peer) -> None:
    async with peer.listening(None):
        await peer.call("grow")
        await until(lambda: "notifications/tools/list_changed" in peer.events)
        must(any(tool.name.startswith("grown") for tool in await peer.tools()), True)


async def cancel(peer) -> None:
    before = text_of(await peer.call("cancelled"))
    with anyio.move_on_after(0.7):
        await peer.call("slow")
    with anyio.fail_after(3):
        while text_of(await peer.call("cancelled")) == before:
            await anyio.sleep(0.1)


async def big(peer) -> None:
    must_hold(text_of(await peer.call("big", {"value": 9007199254740993})), "9007199254740993")


async def image(peer) -> None:
    must(as_json(await peer.call("image"))["content"][0]["mimeType"], "image/png")


FEATURES = {
    "list": list_,
    "echo": echo,
    "structured": structured,
    "error": error,
    "progress": progress,
    "log": log,
    "elicit": elicit,
    "elicit-live": elicit_live,
    "sample": sample,
    "roots": roots,
    "read": read,
    "template": template,
    "updated": updated,
    "prompt": prompt,
    "complete": complete,
    "changed": changed,
    "cancel": cancel,
    "big": big,
    "image": image,
}


def say(**line) -> None:
    print(json.dumps(line), flush=True)


async def try_all(peer) -> None:
    say(revision=peer.revision)
    for name, feature in FEATURES.items():
        try:
            with anyio.fail_after(PATIENCE):
                await feature(peer)
            say(feature=name, found="yes")
        except TimeoutError:
            say(feature=name, found="nothing came in time")
        except Exception as error:
            say(feature=name, found=(str(error) or repr(error))[:300])
            traceback.print_exc()


def target() -> list[str]:
    """A URL, or the command of a server."""
    return sys.argv[1:]
