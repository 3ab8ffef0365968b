"""The zoo's client, written with FastMCP."""

from contextlib import asynccontextmanager

import anyio
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from mcp.client.subscriptions import listen
from mcp_types import PromptReference

from features import Peer, target, try_all


class FastMcp(Peer):
    async def tools(self):
        return await self.client.list_tools()

    async def call(self, name, arguments=None, on_progress=None):
        # The only way of FastMCP to ask a server of 2026-07-28 for log messages.
        meta = {"io.modelcontextprotocol/logLevel": "debug"} if self.is_modern else None
        return await self.client.call_tool_mcp(name, arguments or {}, progress_handler=on_progress, meta=meta)

    async def set_log_level(self):
        if not self.is_modern:
            await self.client.set_logging_level("debug")

    @property
    def is_modern(self):
        return self.revision >= "2026"

    async def resources(self):
        return await self.client.list_resources()

    async def templates(self):
        return await self.client.list_resource_templates()

    async def read(self, uri):
        return (await self.client.read_resource(uri))[0].text

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)

    async def complete(self, prompt, name, value):
        ref = PromptReference(type="ref/prompt", name=prompt)
        return (await self.client.complete(ref, {"name": name, "value": value})).values

    @asynccontextmanager
    async def listening(self, uri):
        if not self.is_modern:
            if uri is not None:
                await self.client.session.subscribe_resource(str(uri))
            yield
            return
        # FastMCP has no method for this; its session is the Python SDK's.
        wanted = {"tools_list_changed": True} if uri is None else {"resource_subscriptions": [str(uri)]}
        async with listen(self.client.session, **wanted):
            yield


async def elicit(message, response_type, params, context):
    return ElicitResult(action="accept", content={"name": "Ada"})


async def sample(messages, params, context):
    return "zebra"


async def main() -> None:
    peer = FastMcp()

    async def on_log(message):
        peer.logs.append(str(message.data))

    async def on_message(message):
        peer.told(message)

    url, *args = target()
    async with Client(
        StdioTransport(command=url, args=args) if args else url,
        elicitation_handler=elicit,
        sampling_handler=sample,
        roots=["file:///zoo"],
        log_handler=on_log,
        message_handler=on_message,
    ) as peer.client:
        peer.revision = str(peer.client.protocol_version)
        await try_all(peer)


anyio.run(main)
