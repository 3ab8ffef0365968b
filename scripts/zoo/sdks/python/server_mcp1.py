"""The zoo's server, written with version 1 of the Python SDK."""

from common_mcp import add_features
from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.lowlevel import NotificationOptions
from mcp.types import Completion, SamplingMessage, TextContent

server = FastMCP("zoo")
add_features(server, Context, Image, ToolError, Completion)


@server.tool()
async def sample(ctx: Context) -> str:
    content = TextContent(type="text", text="Say a word")
    said = await ctx.session.create_message([SamplingMessage(role="user", content=content)], max_tokens=10)
    return said.content.text


@server.tool()
async def roots(ctx: Context) -> str:
    return " ".join(str(root.uri) for root in (await ctx.session.list_roots()).roots)


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
