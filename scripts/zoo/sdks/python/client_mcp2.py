"""The zoo's client, written with version 2 of the Python SDK."""

from contextlib import asynccontextmanager

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    Root,
    TextContent,
)

from features import Peer, target, try_all


class Mcp2(Peer):
    async def tools(self):
        return (await self.client.list_tools(cache_mode="refresh")).tools

    async def call(self, name, arguments=None, on_progress=None):
        return await self.client.call_tool(name, arguments or {}, progress_callback=on_progress)

    async def set_log_level(self):
        if not self.is_modern:
            await self.client.set_logging_level("debug")

    async def resources(self):
        return (await self.client.list_resources()).resources

    async def templates(self):
        return (await self.client.list_resource_templates()).resource_templates

    async def read(self, uri):
        return (await self.client.read_resource(str(uri))).contents[0].text

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)

    async def complete(self, prompt, name, value):
        ref = PromptReference(type="ref/prompt", name=prompt)
        return (await self.client.complete(ref, {"name": name, "value": value})).completion.values

    @property
    def is_modern(self):
        return self.revision >= "2026"

    @asynccontextmanager
    async def listening(self, uri):
        if not self.is_modern:
            if uri is not None:
                await self.client.subscribe_resource(str(uri))
            yield
            return
        wanted = {"tools_list_changed": True} if uri is None else {"resource_subscriptions": [str(uri)]}
        async with self.client.listen(**wanted):
            yield


async def elicit(context, params):
    return ElicitResult(action="accept", content={"name": "Ada"})


async def sample(context, params):
    content = TextContent(type="text", text="zebra")
    return CreateMessageResult(role="assistant", content=content, model="zoo", stop_reason="endTurn")


async def roots(context):
    return ListRootsResult(roots=[Root(uri="file:///zoo", name="zoo")])


async def main() -> None:
    peer = Mcp2()

    async def on_log(params):
        peer.logs.append(str(params.data))

    async def on_message(message):
        peer.told(message)

    url, *args = target()
    where = StdioServerParameters(command=url, args=args) if args else url
    async with Client(
        where,
        mode="auto",
        log_level="debug",
        elicitation_callback=elicit,
        sampling_callback=sample,
        list_roots_callback=roots,
        logging_callback=on_log,
        message_handler=on_message,
    ) as peer.client:
        peer.revision = peer.client.protocol_version
        await try_all(peer)


anyio.run(main)
