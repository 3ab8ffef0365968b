"""The zoo's server, written with version 2 of the Python SDK."""

import base64
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import Completion, CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
server = MCPServer("zoo")
cancelled = 0
grown = 0


class Sum(BaseModel):
    sum: int


class Name(BaseModel):
    name: str


@server.tool()
def echo(text: str) -> str:
    return text


@server.tool()
def add(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@server.tool()
def fail() -> str:
    raise ToolError("this tool fails")


@server.tool()
async def progress(ctx: Context) -> str:
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3, f"step {step}")
    return "done"


@server.tool()
async def log(ctx: Context) -> str:
    await ctx.warning("a line")
    return "logged"


def name_of_user() -> Elicit[Name]:
    return Elicit("Your name?", Name)


@server.tool()
async def ask(name: Annotated[Name, Resolve(name_of_user)]) -> str:
    return f"Hello, {name.name}"


@server.tool()
async def ask_live(ctx: Context) -> str:
    answer = await ctx.elicit("Your name?", Name)
    return f"Hello, {answer.data.name}" if answer.action == "accept" else answer.action


def word() -> Sample:
    content = TextContent(type="text", text="Say a word")
    return Sample([SamplingMessage(role="user", content=content)], max_tokens=10)


@server.tool()
async def sample(said: Annotated[CreateMessageResult, Resolve(word)]) -> str:
    return said.content.text


def roots_of_client() -> ListRoots:
    return ListRoots()


@server.tool()
async def roots(found: Annotated[ListRootsResult, Resolve(roots_of_client)]) -> str:
    return " ".join(str(root.uri) for root in found.roots)


@server.tool()
def big(value: int) -> str:
    return str(value)


@server.tool(structured_output=False)
def image() -> Image:
    return Image(data=PIXEL, format="png")


@server.tool()
async def slow() -> str:
    global cancelled
    try:
        await anyio.sleep(20)
    except anyio.get_cancelled_exc_class():
        cancelled += 1
        raise
    return "slept"


@server.tool(name="cancelled")
def count_cancelled() -> str:
    return str(cancelled)


@server.tool()
async def grow(ctx: Context) -> str:
    global grown
    grown += 1
    server.add_tool(lambda: "grown", name=f"grown_{grown}")
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "grown"


@server.tool()
async def touch(ctx: Context) -> str:
    await ctx.notify_resource_updated("note://one")
    await ctx.session.send_resource_updated("note://one")
    return "touched"


@server.resource("note://one", name="one")
def one() -> str:
    return "note one"


@server.resource("note://{name}", name="note")
def note(name: str) -> str:
    return f"note {name}"


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}"


@server.completion()
async def complete(ref, argument, context):
    return Completion(values=[name for name in ("Ada", "Alan", "Grace") if name.startswith(argument.value)])


server.run("stdio")
