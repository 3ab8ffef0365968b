"""What the zoo's servers in both versions of the Python SDK have in common; each adds how it asks its client."""

import base64

import anyio
from mcp.types import ToolAnnotations
from pydantic import BaseModel

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
cancelled = 0
grown = 0


class Sum(BaseModel):
    sum: int


class Name(BaseModel):
    name: str


def add_features(server, Context, Image, ToolError, Completion):
    """The classes are those of the SDK: it knows the parameters of a tool by their types."""

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

    @server.tool(annotations=ToolAnnotations(readOnlyHint=True))
    async def ask_live(ctx: Context) -> str:
        answer = await ctx.elicit("Your name?", Name)
        return f"Hello, {answer.data.name}" if answer.action == "accept" else answer.action

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
        if hasattr(ctx, "notify_tools_changed"):
            await ctx.notify_tools_changed()
        await ctx.session.send_tool_list_changed()
        return "grown"

    @server.tool()
    async def touch(ctx: Context) -> str:
        if hasattr(ctx, "notify_resource_updated"):
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
