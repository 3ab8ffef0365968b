"""The zoo's server, written with version 1 of the Python SDK."""

import base64

import anyio
from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.lowlevel import NotificationOptions
from mcp.types import Completion, SamplingMessage, TextContent
from pydantic import BaseModel

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
server = FastMCP("zoo")
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


@server.tool()
async def ask_live(ctx: Context) -> str:
    answer = await ctx.elicit("Your name?", Name)
    return f"Hello, {answer.data.name}" if answer.action == "accept" else answer.action


@server.tool()
async def sample(ctx: Context) -> str:
    content = TextContent(type="text", text="Say a word")
    said = await ctx.session.create_message([SamplingMessage(role="user", content=content)], max_tokens=10)
    return said.content.text


@server.tool()
async def roots(ctx: Context) -> str:
    return " ".join(str(root.uri) for root in (await ctx.session.list_roots()).roots)


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
    await ctx.session.send_tool_list_changed()
    return "grown"


@server.tool()
async def touch(ctx: Context) -> str:
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


# FastMCP of version 1 neither takes subscriptions nor says that its lists change; the server below it can do both.
lowlevel = server._mcp_server


@lowlevel.subscribe_resource()
async def subscribe(uri) -> None:
    pass


@lowlevel.unsubscribe_resource()
async def unsubscribe(uri) -> None:
    pass


original = lowlevel.get_capabilities


def capabilities(options, experimental):
    found = original(NotificationOptions(tools_changed=True), experimental)
    found.resources.subscribe = True
    return found


lowlevel.get_capabilities = capabilities
server.run("stdio")
