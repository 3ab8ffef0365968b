import { join } from 'node:path'
import { before, gantry } from '../lib/gateways.mjs'
import { startWorker } from '../lib/worker.mjs'
import { openTarget, probeUntilRight } from '../load/http-request.mjs'
import { echoCall } from '../load/messages.mjs'

const call = echoCall('modern')
/** Calls a second that one caller may make. */
const LIMIT = 10
const GREEDY = LIMIT * 100
/** So many that a turn has enough calls for a p99. */
const CALLERS = 100

const startGateway = before((port) =>
  gantry(
    { echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } },
    { limits: { rates: [{ name: 'each', rate: `${LIMIT}/s` }] } },
  ),
)

/**
 * Callers who stay below their limit, and one who may not, in a process of its own: the moments at which it
 * asks and the work that it makes are not those of the others. The claim is about callers on other machines, who are
 * connected and keep asking. So a turn counts from the moment on at which connections are open and the limit is used
 * up, it is long enough for 1,500 calls of the others (their p99 is the 15th longest, and not the 5th), and the greedy
 * process sleeps while all its connections wait for answers.
 */
async function openLoads(nodeArgs) {
  const server = await startGateway(nodeArgs)
  const loads = []
  const close = () => Promise.all([...loads.map((load) => load.close()), server.close()])
  try {
    const target = await openTarget({ port: server.port, path: '/mcp', era: 'modern' })
    await probeUntilRight(target, call.message, call.expect)
    for (const counts of [
      { callers: CALLERS, greedy: 0 },
      { callers: 0, greedy: GREEDY },
    ]) {
      const options = { target, message: call.message, each: LIMIT / 2, ...counts }
      loads.push(await startWorker(join(import.meta.dirname, '../load/paced-load.mjs'), options))
    }
    const [polite, rude] = loads
    return { polite, rude, close }
  } catch (error) {
    await close()
    throw error
  }
}

let opened

/**
 * Both contestants ask one gateway. Of two gateways that do the same, one can be slower for all callers. Old garbage of
 * one turn may be collected in the next. Young garbage is collected while a turn settles.
 */
function contestant(name, isGreedy) {
  return {
    name,
    async open({ nodeArgs }) {
      opened ??= openLoads(nodeArgs)
      const { polite, rude, close } = await opened
      const sample = async (ms) => {
        const [{ p50, p99 }, counted] = await Promise.all([
          polite.tell({ ms }),
          isGreedy ? rude.tell({ ms }) : undefined,
        ])
        return { p50, p99, refused: counted?.refused ?? 0 }
      }
      const closeOnce = () => {
        opened = undefined
        return close()
      }
      return { sample, close: closeOnce }
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
    contestants: [contestant('ours', true), contestant('ours, without it', false)],
  },
]
