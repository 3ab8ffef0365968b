import { join } from 'node:path'
import { program, RATE, rates, serve } from '../lib/contestants.mjs'
import { startWorker } from '../lib/worker.mjs'

const CLIENTS = join(import.meta.dirname, '../clients')

/** A client that asks a bare server, which it starts itself or finds at a URL. */
function client(name, file, { era, transport, ...load }) {
  const { startServer = serve('bare-http.mjs', era), ...work } = load
  const options = { file: join(CLIENTS, file), era, inFlight: transport === 'stdio' ? 64 : 32, ...work }
  return {
    name,
    async open({ nodeArgs }) {
      const server = transport === 'http' ? await startServer([]) : undefined
      const where = server
        ? { url: `http://127.0.0.1:${server.port}/mcp` }
        : { args: [program('bare-stdio.mjs'), era] }
      try {
        const worker = await startWorker(join(CLIENTS, 'run.mjs'), { ...options, ...where }, nodeArgs)
        const sample = async (ms) => rates(await worker.tell({ ms }))
        return { sample, close: () => Promise.all([worker.close(), server?.close()]) }
      } catch (error) {
        await server?.close()
        throw error
      }
    },
  }
}

function clientCase(transport, era) {
  const kind = { transport, era }
  return {
    id: `client-${transport}-${era}`,
    title: `client, ${transport}, tools/call, ${transport === 'stdio' ? 64 : 32} in flight, ${era}`,
    metrics: RATE,
    goals: [
      { metric: 'rate', over: 'official 2.4', atLeast: 4 },
      { metric: 'cpu', over: 'official 2.4', atMost: 0.25 },
    ],
    contestants: [
      client('bare', 'bare.mjs', kind),
      client('ours', 'ours.mjs', kind),
      client('official 2.4', 'official-2.mjs', kind),
      ...(era === 'legacy' ? [client('official 1.32', 'official-1.mjs', kind)] : []),
    ],
  }
}

const PROGRESS = 2_000
const progress = {
  transport: 'http',
  era: 'modern',
  work: 'progress',
  perCall: PROGRESS,
  inFlight: 4,
  startServer: serve('progress-server.mjs', 'modern', '0', String(PROGRESS)),
}

/** Our client and the official ones against servers that cost almost nothing. */
export const clientCases = [
  clientCase('stdio', 'legacy'),
  clientCase('stdio', 'modern'),
  clientCase('http', 'legacy'),
  clientCase('http', 'modern'),
  {
    id: 'client-progress',
    title: 'client, notifications about progress in a stream of events (SSE)',
    metrics: {
      rate: { unit: 'notifications/s', better: 'higher' },
      cpu: { unit: 'µs CPU each', better: 'lower' },
    },
    goals: [{ metric: 'rate', over: 'official 2.4', atLeast: 10 }],
    contestants: [
      client('bare', 'bare.mjs', progress),
      client('ours', 'ours.mjs', progress),
      client('official 2.4', 'official-2.mjs', progress),
    ],
  },
]
