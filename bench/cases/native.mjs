import { overHttp, overStdio, program, serve } from '../lib/contestants.mjs'
import { gantry, withFolder } from '../lib/gateways.mjs'
import { startHttpServer } from '../lib/http-server.mjs'
import { NATIVE, rustGateway } from '../lib/native.mjs'
import { echoCall, request } from '../load/messages.mjs'

const OURS = program('gantry.mjs')
const metrics = {
  rate: { unit: 'calls/s', better: 'higher' },
  cpu: { unit: 'µs CPU/call', better: 'lower' },
  memory: { unit: 'MB under load', better: 'lower' },
}
const latency = {
  p50: { unit: 'ms p50', better: 'lower' },
  p99: { unit: 'ms p99', better: 'lower' },
  memory: metrics.memory,
}
const ahead = (metric, over) => ({ metric, over, ...(metric === 'rate' ? { atLeast: 1 } : { atMost: 1 }) })
const aheadOf = (names, ...wanted) => names.flatMap((name) => wanted.map((metric) => ahead(metric, name)))
/** V8 compiles the hot functions of a gateway for five seconds and more; programs that run for weeks are compared. */
const WARM_UP = 8
const ONE = { connections: 1, inFlight: 1, timed: true }

/** Servers: ours beside those of the official SDKs for Rust and Go. `bare` is what Node itself takes. */
function onStdio(id, title, load, shown, goals) {
  const bare = [process.execPath, program('bare-stdio.mjs')]
  const all = { bare, ours: [process.execPath, OURS], rmcp: [NATIVE.rmcp], 'Go SDK': [NATIVE.go] }
  const contestants = Object.entries(all).map(([name, [command, ...args]]) =>
    overStdio(name, [...args, 'stdio'], { ...load, command }),
  )
  return { id, title, native: true, metrics: shown, goals, contestants }
}

function onHttp(id, title, load, shown, goals) {
  const native = (command) => () => startHttpServer({ command, args: ['http'] })
  const contestants = [
    overHttp('bare', serve('bare-http.mjs'), load),
    overHttp('ours', serve('gantry.mjs', 'http'), load),
    overHttp('rmcp', native(NATIVE.rmcp), load),
    overHttp('Go SDK', native(NATIVE.go), load),
  ]
  return { id, title, native: true, metrics: shown, goals, contestants }
}

/** The gateways name the tool after the server, the bare ones look at no names. */
function throughGateway(name) {
  const { message, expect } = echoCall('legacy')
  const renamed = request('legacy', 'tools/call', { name: 'echo_echo', arguments: expect })
  // What is behind a gateway costs all the same: the gateway's own process is looked at.
  return { era: 'legacy', message: name === 'bare' ? message : renamed, expect, alone: true }
}

function beforeHttp(command, startFront) {
  return async (nodeArgs) => {
    const behind = await startHttpServer({ command, args: ['http'] })
    try {
      const front = await startFront(`http://127.0.0.1:${behind.port}/mcp`, behind.port)(nodeArgs)
      return { ...front, close: () => Promise.all([front.close(), behind.close()]) }
    } catch (error) {
      await behind.close()
      throw error
    }
  }
}

const rust = (backend) => () => withFolder((folder) => rustGateway(backend, folder))

/** Gateways: ours beside the Rust one, before the same server. `bare` is the least that one on Node takes. */
function gatewayCases(language, command) {
  const fronts = {
    stdio: {
      bare: serve('bare-gateway.mjs', command, 'stdio'),
      ours: gantry({ echo: { command, args: ['stdio'] } }),
      'mcp-proxy': rust({ transport: 'stdio', command, args: ['stdio'] }),
    },
    http: {
      bare: beforeHttp(command, (_, port) => serve('bare-proxy.mjs', String(port))),
      ours: beforeHttp(command, (url) => gantry({ echo: { url } })),
      'mcp-proxy': beforeHttp(command, (url) => rust({ transport: 'http', url })),
    },
  }
  return Object.entries(fronts).flatMap(([transport, all]) => {
    const where = `${language} server ${transport === 'stdio' ? 'on stdio' : 'over HTTP'}`
    const contestants = (more) =>
      Object.entries(all).map(([name, start]) => overHttp(name, start, { ...throughGateway(name), ...more }))
    const least = { metric: 'memory', atMost: 90 }
    return [
      {
        id: `native-gateway-${language.toLowerCase()}-${transport}`,
        title: `native: gateways before a ${where}, legacy, 32 connections`,
        native: true,
        longerWarm: WARM_UP,
        metrics,
        goals: [...aheadOf(['mcp-proxy'], 'rate', 'cpu'), least],
        contestants: contestants({}),
      },
      {
        id: `native-gateway-${language.toLowerCase()}-${transport}-one`,
        title: `native: gateways before a ${where}, legacy, one connection`,
        native: true,
        longerWarm: WARM_UP,
        metrics: latency,
        goals: [...aheadOf(['mcp-proxy'], 'p50', 'p99'), { metric: 'p99', atMost: 1 }, least],
        contestants: contestants(ONE),
      },
    ]
  })
}

const legacy = { era: 'legacy', ...echoCall('legacy') }
const peers = ['rmcp', 'Go SDK']

/** Beside programs that are no Node programs. Only by name: they are built with cargo and go. */
export const nativeCases = [
  onStdio(
    'native-server-stdio',
    'native: servers on stdio, legacy, 64 in flight',
    legacy,
    metrics,
    aheadOf(peers, 'rate', 'cpu'),
  ),
  onStdio(
    'native-server-stdio-one',
    'native: servers on stdio, legacy, one call at a time',
    { ...legacy, ...ONE },
    latency,
    aheadOf(peers, 'p50', 'p99'),
  ),
  onHttp(
    'native-server-http',
    'native: servers over HTTP, legacy session, 32 connections',
    legacy,
    metrics,
    aheadOf(peers, 'rate', 'cpu'),
  ),
  onHttp(
    'native-server-http-one',
    'native: servers over HTTP, legacy session, one connection',
    { ...legacy, ...ONE },
    latency,
    aheadOf(peers, 'p50', 'p99'),
  ),
  ...gatewayCases('Rust', NATIVE.rmcp),
  ...gatewayCases('Go', NATIVE.go),
]
