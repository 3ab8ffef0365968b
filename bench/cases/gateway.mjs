import { overHttp, program, RATE, serve } from '../lib/contestants.mjs'
import { before, gantry, mcpHub, mcpProxy, stdioTarget, supergateway } from '../lib/gateways.mjs'
import { echoCall, FIRST_ID } from '../load/messages.mjs'

const legacy = { era: 'legacy', ...echoCall('legacy') }
const modern = { era: 'modern', ...echoCall('modern') }
const upstream = program('bare-stdio.mjs')

const { expect } = legacy
const hubCall = {
  era: 'none',
  message: { id: FIRST_ID, server_name: 'echo', tool: 'echo', arguments: expect },
  expect,
}

const toStdio = gantry({ echo: stdioTarget(upstream) })

const toHttp = before((port) => gantry({ echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } }))
const proxy = before((port) => serve('bare-proxy.mjs', String(port)))
const one = { ...modern, connections: 1, timed: true }

/** The gateway in front of servers that cost almost nothing, against peers and bare gateways before the same. */
export const gatewayCases = [
  {
    id: 'gateway-stdio-legacy',
    title: 'gateway: HTTP in, stdio upstream, legacy, 32 connections',
    metrics: RATE,
    goals: [{ metric: 'rate', over: 'bare', atLeast: 0.45 }],
    contestants: [
      overHttp('bare', serve('bare-gateway.mjs', process.execPath, upstream), legacy),
      overHttp('ours', toStdio, legacy),
      overHttp('supergateway', () => supergateway(upstream), legacy),
      overHttp('mcp-proxy', () => mcpProxy(upstream), legacy),
      overHttp('mcp-hub', () => mcpHub(upstream), hubCall),
    ],
  },
  {
    id: 'gateway-http-modern',
    title: 'gateway: modern HTTP in and out, 32 connections',
    metrics: RATE,
    goals: [{ metric: 'rate', over: 'bare', atLeast: 0.7 }],
    contestants: [overHttp('bare', proxy, modern), overHttp('ours', toHttp, modern)],
  },
  {
    id: 'gateway-bridged',
    title: 'gateway: modern HTTP in, legacy stdio upstream, against legacy in',
    metrics: RATE,
    goals: [{ metric: 'rate', over: 'ours, same era', atLeast: 0.6 }],
    contestants: [overHttp('ours', toStdio, modern), overHttp('ours, same era', toStdio, legacy)],
  },
  {
    id: 'gateway-latency',
    title: 'gateway: latency at one connection, modern HTTP in and out',
    metrics: { p50: { unit: 'ms p50', better: 'lower' }, p99: { unit: 'ms p99', better: 'lower' } },
    goals: [
      { metric: 'p50', minus: 'direct', atMost: 0.35 },
      { metric: 'p99', minus: 'direct', atMost: 1.5 },
    ],
    contestants: [
      overHttp('direct', serve('bare-http.mjs', 'modern'), one),
      overHttp('bare', proxy, one),
      overHttp('ours', toHttp, one),
    ],
  },
]
