"""The zoo's client, written with version 1 of the Python SDK."""

from contextlib import asynccontextmanager

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, PromptReference, Root, TextContent

from features import Peer, target, try_all


class Mcp1(Peer):
    async def tools(self):
        return (await self.session.list_tools()).tools

    async def call(self, name, arguments=None, on_progress=None):
        return await self.session.call_tool(name, arguments or {}, progress_callback=on_progress)

    async def set_log_level(self):
        await self.session.set_logging_level("debug")

    async def resources(self):
        return (await self.session.list_resources()).resources

    async def templates(self):
        return (await self.session.list_resource_templates()).resourceTemplates

    async def read(self, uri):
        return (await self.session.read_resource(uri)).contents[0].text

    async def prompt(self, name, arguments):
        return await self.session.get_prompt(name, arguments)

    async def complete(self, prompt, name, value):
        ref = PromptReference(type="ref/prompt", name=prompt)
        return (await self.session.complete(ref, {"name": name, "value": value})).completion.values

    @asynccontextmanager
    async def listening(self, uri):
        if uri is not None:
            await self.session.subscribe_resource(uri)
        yield


async def elicit(context, params):
    return ElicitResult(action="accept", content={"name": "Ada"})


async def sample(context, params):
    content = TextContent(type="text", text="zebra")
    return CreateMessageResult(role="assistant", content=content, model="zoo", stopReason="endTurn")


async def roots(context):
    return ListRootsResult(roots=[Root(uri="file:///zoo", name="zoo")])


def streams():
    url, *args = target()
    if args:
        return stdio_client(StdioServerParameters(command=url, args=args))
    return streamable_http_client(url)


async def main() -> None:
    peer = Mcp1()

    async def on_log(params):
        peer.logs.append(str(params.data))

    async def on_message(message):
        peer.told(message)

    async with streams() as (reading, writing, *_):
        async with ClientSession(
            reading,
            writing,
            elicitation_callback=elicit,
            sampling_callback=sample,
            list_roots_callback=roots,
            logging_callback=on_log,
            message_handler=on_message,
        ) as peer.session:
            peer.revision = str((await peer.session.initialize()).protocolVersion)
            await try_all(peer)


anyio.run(main)
