# A client of the official Python SDK, which makes spans itself where OpenTelemetry is set up.
import asyncio
import sys

from mcp import Client
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

url, collector = sys.argv[1:]
provider = TracerProvider(resource=Resource.create({"service.name": "python-client"}))
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint=f"{collector}/v1/traces")))
trace.set_tracer_provider(provider)


async def main() -> None:
    async with Client(url) as client:
        with trace.get_tracer("proof").start_as_current_span("the whole"):
            await client.call_tool("notes_add", {"text": "one"})
            await client.call_tool("notes_fail", {})


asyncio.run(main())
provider.shutdown()
