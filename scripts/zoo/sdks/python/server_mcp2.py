"""The zoo's server, written with version 2 of the Python SDK."""

from typing import Annotated

from common_mcp import Name, add_features
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import Completion, CreateMessageResult, ListRootsResult, SamplingMessage, TextContent

server = MCPServer("zoo")
add_features(server, Context, Image, ToolError, Completion)


def name_of_user() -> Elicit[Name]:
    return Elicit("Your name?", Name)


@server.tool()
async def ask(name: Annotated[Name, Resolve(name_of_user)]) -> str:
    return f"Hello, {name.name}"


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


server.run("stdio")
