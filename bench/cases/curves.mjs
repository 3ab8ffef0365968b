import { overHttp, overStdio, program, RATE, serve } from '../lib/contestants.mjs'
import { before, gantry, stdioTarget } from '../lib/gateways.mjs'
import { echoCall } from '../load/messages.mjs'
import { listLoad } from './lists.mjs'
import { sessionCurve } from './session-curve.mjs'

const cpu = { cpu: RATE.cpu }
const STDIO = {
  bare: ['bare-stdio.mjs', 'legacy'],
  ours: ['gantry.mjs', 'stdio'],
  'official 2.4': ['official-2.mjs', 'stdio'],
}

/** All of `STDIO`, each asked the same. */
function stdioContestants(load, ...args) {
  return Object.entries(STDIO).map(([name, [file, mode]]) =>
    overStdio(name, [program(file), mode, ...args.map(String)], { era: 'legacy', ...load }),
  )
}

/** Our gateway before so many servers, which are in truth one. */
function manyTargets(count) {
  return before((port) => {
    const target = (index) => ({
      url: `http://127.0.0.1:${port}/mcp`,
      prefix: index === 0 ? false : `t${index}`,
    })
    return gantry(
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, target(index)])),
    )
  })
}

const KB = 1024
const sizes = [1 * KB, 10 * KB, 100 * KB, 1000 * KB, 10_000 * KB]
const textOf = (bytes) => echoCall('legacy', 'x'.repeat(bytes))
const modern = { era: 'modern', ...echoCall('modern') }
const upstream = program('bare-stdio.mjs')

/** How cost grows with the number and size of things. Each is measured anew at each point. */
export const curves = [
  sessionCurve,
  {
    id: 'curve-tools-list',
    title: 'tools/list by number of tools, stdio',
    x: 'tools',
    xs: [10, 100, 500, 1000, 2000],
    metrics: cpu,
    contestants: (x) => stdioContestants({ ...listLoad('legacy', x - 3), inFlight: 4 }, x - 3),
  },
  {
    id: 'curve-tools-call',
    title: 'tools/call by number of tools, stdio',
    x: 'tools',
    xs: [10, 100, 500, 1000, 2000],
    metrics: cpu,
    contestants: (x) => stdioContestants(echoCall('legacy'), x - 3),
  },
  {
    id: 'curve-targets-call',
    title: 'tools/call by number of targets, gateway, modern HTTP in and out',
    x: 'targets',
    xs: [1, 10, 100],
    metrics: cpu,
    contestants: (x) => [overHttp('ours', manyTargets(x), modern)],
  },
  {
    id: 'curve-targets-list',
    title: 'tools/list by number of targets, gateway, modern HTTP in and out',
    x: 'targets',
    xs: [1, 10, 100],
    metrics: cpu,
    contestants: (x) => {
      const { era, message } = listLoad('modern', 0)
      return [overHttp('ours', manyTargets(x), { era, message, expect: { tools: 3 * x }, connections: 4 })]
    },
  },
  {
    id: 'curve-messages-stdio',
    title: 'tools/call by size of request and result, stdio',
    x: 'bytes',
    xs: sizes,
    metrics: cpu,
    contestants: (x) => stdioContestants({ ...textOf(x), inFlight: 2 }),
  },
  {
    id: 'curve-messages-gateway',
    title: 'tools/call by size of request and result, gateway, HTTP in, stdio upstream',
    x: 'bytes',
    xs: sizes,
    metrics: cpu,
    contestants: (x) => {
      const load = { era: 'legacy', ...textOf(x), connections: 2, timed: true }
      return [
        overHttp('bare', serve('bare-gateway.mjs', process.execPath, upstream), load),
        overHttp('ours', gantry({ echo: stdioTarget(upstream) }), load),
      ]
    },
  },
]
