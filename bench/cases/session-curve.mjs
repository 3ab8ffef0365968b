import { createHttpLoad, program, RATE, rates } from '../lib/contestants.mjs'
import { cpuMicroseconds } from '../lib/cpu.mjs'
import { startProbedHttp } from '../lib/probed-server.mjs'
import { probeUntilRight } from '../load/http-request.mjs'
import { echoCall } from '../load/messages.mjs'
import { openSessions } from '../load/open-sessions.mjs'

const echo = echoCall('legacy')
// Opening more takes the official SDK minutes.
const MOST_OF_PEER = 1_000

/** A server with so many open sessions, of which one is asked. */
function withSessions(name, file, count) {
  return {
    name,
    async open(options) {
      const server = await startProbedHttp([program(file), 'http-session'])
      try {
        const empty = await server.memory()
        const target = await openSessions({ port: server.port, path: '/mcp', era: 'legacy' }, count)
        const size = await probeUntilRight(target, echo.message, echo.expect)
        const load = await createHttpLoad({ target, ...echo, connections: 32, size }, options)
        const memory = (await server.memory()) - empty
        const sample = async (ms) => {
          const began = cpuMicroseconds(server.pid)
          const counted = await load.sample(ms)
          return { ...rates({ ...counted, cpu: cpuMicroseconds(server.pid) - began }), memory }
        }
        return { sample, close: () => Promise.all([load.close(), server.close()]) }
      } catch (error) {
        await server.close()
        throw error
      }
    },
  }
}

/** The cost of a call, and memory, by the number of open sessions. */
export const sessionCurve = {
  id: 'curve-sessions',
  title: 'tools/call and memory by number of open legacy sessions, HTTP',
  x: 'sessions',
  xs: [1, 10, 100, 1_000, 10_000],
  metrics: { cpu: RATE.cpu, memory: { unit: 'bytes in all', better: 'lower' } },
  contestants: (x) => [
    withSessions('ours', 'gantry.mjs', x),
    ...(x <= MOST_OF_PEER ? [withSessions('official 2.4', 'official-2.mjs', x)] : []),
  ],
}
