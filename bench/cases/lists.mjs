import { overHttp, overStdio, program, RATE, serve } from '../lib/contestants.mjs'
import { request } from '../load/messages.mjs'

/** What is listed: the extra tools and the three that every contestant has. */
export const listLoad = (era, count) => ({
  era,
  message: request(era, 'tools/list'),
  expect: { tools: count + 3 },
})

const EXTRA = 997
const goals = [{ metric: 'rate', over: 'official 2.4', atLeast: 20 }]
const legacy = { ...listLoad('legacy', EXTRA), inFlight: 4 }
const modern = { ...listLoad('modern', EXTRA), connections: 4 }
const onStdio = (name, file, ...args) => overStdio(name, [program(file), ...args, String(EXTRA)], legacy)
const onHttp = (name, file, ...args) => overHttp(name, serve(file, ...args, String(EXTRA)), modern)

/** Long lists, which a server should not make anew for each client. */
export const listCases = [
  {
    id: 'lists-stdio',
    title: 'tools/list with 1,000 tools, stdio, legacy',
    metrics: RATE,
    goals,
    contestants: [
      onStdio('bare', 'bare-stdio.mjs', 'legacy'),
      onStdio('ours', 'gantry.mjs', 'stdio'),
      onStdio('official 2.4', 'official-2.mjs', 'stdio'),
      onStdio('official 1.32', 'official-1.mjs', 'stdio'),
    ],
  },
  {
    id: 'lists-http',
    title: 'tools/list with 1,000 tools, HTTP, modern',
    metrics: RATE,
    goals,
    contestants: [
      onHttp('bare', 'bare-http.mjs', 'modern'),
      onHttp('ours', 'gantry.mjs', 'http'),
      onHttp('official 2.4', 'official-2.mjs', 'http'),
    ],
  },
]
