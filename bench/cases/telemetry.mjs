import { overHttp, RATE } from '../lib/contestants.mjs'
import { before, gantry } from '../lib/gateways.mjs'
import { echoCall } from '../load/messages.mjs'

const modern = { era: 'modern', ...echoCall('modern') }

const toHttp = (settings) =>
  before((port) => gantry({ echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } }, settings))

/** Nobody listens there: what is measured is what a call costs, not what a collector does. */
const otlp = { endpoint: 'http://127.0.0.1:9', share: 0.01 }

/** What tells operators and auditors what happened, against nothing of it. The exchange log of size 0 records no exchange. */
export const telemetryCases = [
  {
    id: 'telemetry',
    title:
      'telemetry: traces of one call in a hundred, metrics, audit and flight recorder on, against all of it off, modern HTTP in and out',
    metrics: RATE,
    // V8 compiles for five seconds on a fast machine and for ten on a slow one, which is not what this is about.
    longerWarm: 10,
    starts: 4,
    goals: [{ metric: 'rate', over: 'ours, all off', atLeast: 0.88 }],
    contestants: [
      overHttp('ours', toHttp({ audit: {}, telemetry: { otlp } }), modern),
      overHttp('ours, all off', toHttp({ telemetry: { wire: { size: 0 } } }), modern),
      overHttp('audit alone', toHttp({ audit: {}, telemetry: { wire: { size: 0 } } }), modern),
      overHttp('traces alone', toHttp({ telemetry: { otlp, wire: { size: 0 } } }), modern),
      overHttp('flight recorder alone', toHttp(), modern),
    ],
  },
]
