import { join } from 'node:path'
import { program, rates, serve } from '../lib/contestants.mjs'
import { startWorker } from '../lib/worker.mjs'

const CLIENTS = join(import.meta.dirname, '../clients')
const metrics = {
  rate: { unit: 'calls/s', better: 'higher' },
  cpu: { unit: 'µs CPU/call', better: 'lower' },
}

/** A client that asks a bare server, which it starts itself or finds at a URL. */
function client(name, file, { era, transport }) {
  const options = { file: join(CLIENTS, file), era, inFlight: transport === 'stdio' ? 64 : 32 }
  return {
    name,
    async open({ nodeArgs }) {
      const server = transport === 'http' ? await serve('bare-http.mjs', era)([]) : undefined
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
    metrics,
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

/** Our client and the official ones against servers that cost almost nothing. */
export const clientCases = [
  clientCase('stdio', 'legacy'),
  clientCase('stdio', 'modern'),
  clientCase('http', 'legacy'),
  clientCase('http', 'modern'),
]
