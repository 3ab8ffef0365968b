import { freePort, startHttpServer } from '../lib/http-server.mjs'
import { overHttp, overStdio, program, RATE, serve } from '../lib/contestants.mjs'
import { echoCall } from '../load/messages.mjs'

const atLeast = (share) => [{ metric: 'rate', over: 'bare', atLeast: share }]

function stdioCase(era, share, peers) {
  const load = { era, ...echoCall(era) }
  const contestant = (name, file, how = 'stdio') => overStdio(name, [program(file), how], load)
  return {
    id: `server-stdio-${era}`,
    title: `stdio, tools/call, 64 in flight, ${era}`,
    metrics: RATE,
    goals: atLeast(share),
    contestants: [
      contestant('bare', 'bare-stdio.mjs', era),
      contestant('ours', 'gantry.mjs'),
      contestant('bare, a write each', 'bare-stdio-unbatched.mjs', era),
      ...Object.entries(peers).map(([name, file]) => contestant(name, file)),
    ],
  }
}

async function startFastmcp() {
  const port = await freePort()
  return startHttpServer({ args: [program('fastmcp.mjs'), 'http-session', String(port)] })
}

const modernHttp = { era: 'modern', ...echoCall('modern') }
const legacyHttp = { era: 'legacy', ...echoCall('legacy') }

/** Our server, the peers' and the bare limit, over each transport and in each era. */
export const serverCases = [
  stdioCase('legacy', 0.65, {
    'official 2.4': 'official-2.mjs',
    'official 1.32': 'official-1.mjs',
    fastmcp: 'fastmcp.mjs',
    tmcp: 'tmcp.mjs',
  }),
  stdioCase('modern', 0.6, { 'official 2.4': 'official-2.mjs', tmcp: 'tmcp.mjs' }),
  {
    id: 'server-http-modern',
    title: 'HTTP, tools/call, 32 connections, modern',
    metrics: RATE,
    goals: atLeast(0.75),
    contestants: [
      overHttp('bare', serve('bare-http.mjs', 'modern'), modernHttp),
      overHttp('ours', serve('gantry.mjs', 'http'), modernHttp),
      overHttp('official 2.4', serve('official-2.mjs', 'http'), modernHttp),
      overHttp('tmcp', serve('tmcp.mjs', 'http'), modernHttp),
    ],
  },
  {
    id: 'server-http-legacy',
    title: 'HTTP, tools/call, 32 connections, legacy session',
    metrics: RATE,
    goals: atLeast(0.7),
    contestants: [
      overHttp('bare', serve('bare-http.mjs'), legacyHttp),
      overHttp('ours', serve('gantry.mjs', 'http'), legacyHttp),
      overHttp('official 2.4', serve('official-2.mjs', 'http-session'), legacyHttp),
      overHttp('official 1.32', serve('official-1.mjs', 'http-session'), legacyHttp),
      overHttp('fastmcp', startFastmcp, legacyHttp),
      overHttp('tmcp', serve('tmcp.mjs', 'http'), legacyHttp),
    ],
  },
]
