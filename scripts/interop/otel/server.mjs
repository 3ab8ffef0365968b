// A server on stdio that is traced by one line.
import { propagation } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { Server, ToolError } from '@gantry/mcp/server'
import { serveStdio } from '@gantry/mcp/server/node'
import { tracing } from '@gantry/mcp/tracing'

const exporter = new OTLPTraceExporter({ url: `${process.env.COLLECTOR}/v1/traces` })
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'node-server' }),
  spanProcessors: [new SimpleSpanProcessor(exporter)],
})
provider.register()
propagation.setGlobalPropagator(new W3CTraceContextPropagator())

const app = new Server({
  name: 'notes',
  version: '1.0.0',
  tools: {
    add: { run: () => 'added' },
    fail: {
      run: () => {
        throw new ToolError('no')
      },
    },
  },
})
app.use(tracing())
await serveStdio(app)
