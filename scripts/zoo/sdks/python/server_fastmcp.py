"""The zoo's server, written with FastMCP."""

import base64

import anyio
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    SamplingMessage,
    TextContent,
    ToolListChangedNotification,
)
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


@server.tool
def echo(text: str) -> str:
    return text


@server.tool
def add(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@server.tool
def fail() -> str:
    raise ToolError("this tool fails")


@server.tool
async def progress(ctx: Context) -> str:
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3, f"step {step}")
    return "done"


@server.tool
async def log(ctx: Context) -> str:
    await ctx.warning("a line")
    return "logged"


@server.tool
async def ask(ctx: Context) -> str | InputRequiredResult:
    if ctx.input_responses is None:
        form = ElicitRequestFormParams(message="Your name?", requested_schema=Name.model_json_schema())
        question = ElicitRequest(params=form)
        return InputRequiredResult(result_type="input_required", input_requests={"name": question})
    return f"Hello, {ctx.input_responses['name'].content['name']}"


@server.tool(annotations={"readOnlyHint": True})
async def ask_live(ctx: Context) -> str:
    answer = await ctx.elicit("Your name?", Name)
    return f"Hello, {answer.data.name}" if answer.action == "accept" else answer.action


@server.tool(annotations={"readOnlyHint": True})
async def sample(ctx: Context) -> str:
    content = TextContent(type="text", text="Say a word")
    said = await ctx.session.create_message([SamplingMessage(role="user", content=content)], max_tokens=10)
    return said.content.text


@server.tool(annotations={"readOnlyHint": True})
async def roots(ctx: Context) -> str:
    return " ".join(str(root.uri) for root in (await ctx.session.list_roots()).roots)


@server.tool
def big(value: int) -> str:
    return str(value)


@server.tool
def image() -> Image:
    return Image(data=PIXEL, format="png")


@server.tool
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


def new_tool() -> str:
    return "grown"


@server.tool
async def grow(ctx: Context) -> str:
    global grown
    grown += 1
    server.tool(new_tool, name=f"grown_{grown}")
    await ctx.send_notification(ToolListChangedNotification())
    return "grown"


@server.tool
async def touch(ctx: Context) -> str:
    params = ResourceUpdatedNotificationParams(uri="note://one")
    await ctx.send_notification(ResourceUpdatedNotification(params=params))
    return "touched"


@server.resource("note://one", name="one")
def one() -> str:
    return "note one"


@server.resource("note://{name}", name="note")
def note(name: str) -> str:
    return f"note {name}"


@server.prompt
def greet(name: str) -> str:
    return f"Greet {name}"


@server.completion
async def complete(ref, argument, context):
    return [name for name in ("Ada", "Alan", "Grace") if name.startswith(argument.value)]


server.run(transport="stdio", show_banner=False)
