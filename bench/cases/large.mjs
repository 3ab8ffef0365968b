import { overHttp, overStdio, program, RATE, serve } from '../lib/contestants.mjs'
import { gantry, mcpProxy, stdioTarget, supergateway } from '../lib/gateways.mjs'
import { request } from '../load/messages.mjs'

const bytes = 8 * 1024 * 1024
const metrics = { throughput: { unit: 'MB/s', better: 'higher' }, cpu: RATE.cpu }
// A raw pipe serialises nothing, and `JSON.stringify` of 8 MB alone takes about ten times as long as the pipe: who
// wants to come near it has to do without. The share of bare tells what that brings.
const goals = [
  { metric: 'throughput', over: 'raw pipe', atLeast: 0.6 },
  { metric: 'throughput', over: 'bare', atLeast: 0.6 },
]
// How two processes hand 8 MB to each other depends on where the system lets them run: turns of the same contestant
// differ by half. Shorter turns would be no answer: their median leaves out what happens now and then, as the
// collector does, and ours came out a tenth better.
const moreRounds = 2
const load = {
  era: 'legacy',
  message: request('legacy', 'tools/call', { name: 'big', arguments: { bytes } }),
  expect: { length: bytes },
  bytes,
}
const onStdio = (name, file, ...args) => overStdio(name, [program(file), ...args], { ...load, inFlight: 1 })
const onHttp = (name, startServer) => overHttp(name, startServer, { ...load, connections: 1, timed: true })
const upstream = [program('raw-stdio.mjs'), String(bytes)]

/** Results of 8 MB, one after the other. */
export const largeCases = [
  {
    id: 'large-stdio',
    title: 'results of 8 MB, stdio',
    metrics,
    goals,
    moreRounds,
    contestants: [
      onStdio('raw pipe', 'raw-stdio.mjs', String(bytes)),
      onStdio('bare', 'bare-stdio.mjs', 'legacy'),
      onStdio('ours', 'gantry.mjs', 'stdio'),
      onStdio('official 2.4', 'official-2.mjs', 'stdio'),
      onStdio('official 1.32', 'official-1.mjs', 'stdio'),
    ],
  },
  {
    id: 'large-gateway',
    title: 'results of 8 MB through the gateway, HTTP in, stdio upstream',
    metrics,
    goals,
    moreRounds,
    contestants: [
      onHttp('raw pipe', serve('raw-gateway.mjs', ...upstream)),
      onHttp('bare', serve('bare-gateway.mjs', process.execPath, ...upstream)),
      onHttp('ours', gantry({ big: stdioTarget(...upstream) })),
      onHttp('supergateway', () => supergateway(...upstream)),
      onHttp('mcp-proxy', () => mcpProxy(...upstream)),
    ],
  },
]
