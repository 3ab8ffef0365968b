import { join } from 'node:path'
import { before, gantry } from '../lib/gateways.mjs'
import { startWorker } from '../lib/worker.mjs'
import { openTarget, probeUntilRight } from '../load/http-request.mjs'
import { echoCall } from '../load/messages.mjs'

const call = echoCall('modern')
/** Calls a second that one caller may make. */
const LIMIT = 10
const GREEDY = LIMIT * 100

const startGateway = before((port) =>
  gantry(
    { echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } },
    { limits: { rates: [{ name: 'each', rate: `${LIMIT}/s` }] } },
  ),
)

/** Twenty callers who stay below their limit, and one who may not. */
function contestant(name, greedy) {
  return {
    name,
    async open({ nodeArgs }) {
      const server = await startGateway(nodeArgs)
      try {
        const target = await openTarget({ port: server.port, path: '/mcp', era: 'modern' })
        await probeUntilRight(target, call.message, call.expect)
        const options = { target, message: call.message, callers: 20, each: LIMIT / 2, greedy }
        const load = await startWorker(join(import.meta.dirname, '../load/paced-load.mjs'), options)
        return { sample: (ms) => load.tell({ ms }), close: () => Promise.all([load.close(), server.close()]) }
      } catch (error) {
        await server.close()
        throw error
      }
    },
  }
}

/** What others notice of a caller who asks for far more than it may. */
export const fairnessCases = [
  {
    id: 'fairness',
    title: `fairness: twenty callers below their limit, and one at ${GREEDY / LIMIT} times its own, against the twenty alone`,
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
