import { join } from 'node:path'
import { before, gantry } from '../lib/gateways.mjs'
import { startWorker } from '../lib/worker.mjs'
import { openTarget, probeUntilRight } from '../load/http-request.mjs'
import { echoCall } from '../load/messages.mjs'

const call = echoCall('modern')
/** Calls a second that one caller may make. */
const LIMIT = 10
const GREEDY = LIMIT * 100
/** So many that a second has enough calls for a p99. */
const CALLERS = 100

const startGateway = before((port) =>
  gantry(
    { echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } },
    { limits: { rates: [{ name: 'each', rate: `${LIMIT}/s` }] } },
  ),
)

/**
 * Callers who stay below their limit, and one who may not, in a process of its own: the moments at which it
 * asks and the work that it makes are not those of the others.
 */
function contestant(name, greedy) {
  return {
    name,
    async open({ nodeArgs }) {
      const server = await startGateway(nodeArgs)
      const loads = []
      const close = () => Promise.all([...loads.map((load) => load.close()), server.close()])
      const openLoad = async (options) => {
        const load = await startWorker(join(import.meta.dirname, '../load/paced-load.mjs'), options)
        loads.push(load)
        return load
      }
      try {
        const target = await openTarget({ port: server.port, path: '/mcp', era: 'modern' })
        await probeUntilRight(target, call.message, call.expect)
        const common = { target, message: call.message, each: LIMIT / 2 }
        const polite = await openLoad({ ...common, callers: CALLERS, greedy: 0 })
        const rude = greedy > 0 ? await openLoad({ ...common, callers: 0, greedy }) : undefined
        const sample = async (ms) => {
          const [{ p50, p99 }, counted] = await Promise.all([polite.tell({ ms }), rude?.tell({ ms })])
          return { p50, p99, refused: counted?.refused ?? 0 }
        }
        return { sample, close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

/** What others notice of a caller who asks for far more than it may. */
export const fairnessCases = [
  {
    id: 'fairness',
    title: `fairness: ${CALLERS} callers below their limit, and one at ${GREEDY / LIMIT} times its own, against the ${CALLERS} alone`,
    metrics: {
      p99: { unit: 'ms (p99)', better: 'lower' },
      p50: { unit: 'ms (p50)', better: 'lower' },
      refused: { unit: 'refused/s', better: 'higher' },
    },
    goals: [{ metric: 'p99', over: 'ours, without it', atMost: 1.2 }],
    moreRounds: 2,
    contestants: [contestant('ours', GREEDY), contestant('ours, without it', 0)],
  },
]
