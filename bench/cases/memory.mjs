import { program } from '../lib/contestants.mjs'
import { startProbedHttp, startProbedStdio } from '../lib/probed-server.mjs'
import { openSessions } from '../load/open-sessions.mjs'
import { checkAnswer, echoCall, request } from '../load/messages.mjs'

const COUNT = 300
const metrics = { memory: { unit: 'bytes', better: 'lower' } }
const echo = echoCall('legacy')

/** What each of some more things costs a server that has some already. */
async function costOf(server, count, add) {
  const before = await server.memory()
  await add(count)
  return { memory: ((await server.memory()) - before) / count }
}

/** Sessions that were used once and then rest. */
function idleSessions(name, file) {
  return {
    name,
    async open({ short }) {
      const server = await startProbedHttp([program(file), 'http-session'])
      const target = { port: server.port, path: '/mcp', era: 'legacy' }
      const add = (count) => openSessions(target, count)
      return { sample: () => costOf(server, short ? 50 : COUNT, add), close: server.close }
    },
  }
}

/** Calls of a tool that does not end. */
function callsInFlight(name, args) {
  return {
    name,
    async open({ short }) {
      const server = startProbedStdio(args)
      await server.handshake()
      const call = request('legacy', 'tools/call', { name: 'wait', arguments: {} })
      let last = 0
      const add = async (count) => {
        for (let i = 0; i < count; i++) server.send({ ...call, id: ++last })
        checkAnswer(await server.ask({ ...echo.message, id: ++last }), echo.expect)
      }
      return { sample: () => costOf(server, short ? 50 : COUNT, add), close: server.close }
    },
  }
}

const stdioArgs = (file) => [program(file), 'stdio']

/** What waits without working: the rest of the cost of a server with many clients. */
export const memoryCases = [
  {
    id: 'memory-sessions',
    title: 'memory of an idle legacy session, HTTP',
    metrics,
    goals: [{ metric: 'memory', atMost: 10 * 1024 }],
    contestants: [
      idleSessions('ours', 'gantry.mjs'),
      idleSessions('official 2.4', 'official-2.mjs'),
      idleSessions('official 1.32', 'official-1.mjs'),
      idleSessions('tmcp', 'tmcp.mjs'),
    ],
  },
  {
    id: 'memory-calls',
    title: 'memory of a call in flight, stdio, legacy',
    metrics,
    contestants: [
      callsInFlight('ours', stdioArgs('gantry.mjs')),
      callsInFlight('official 2.4', stdioArgs('official-2.mjs')),
      callsInFlight('official 1.32', stdioArgs('official-1.mjs')),
    ],
  },
]
