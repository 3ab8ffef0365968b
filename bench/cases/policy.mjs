import { overHttp, RATE } from '../lib/contestants.mjs'
import { before, gantry } from '../lib/gateways.mjs'
import { echoCall } from '../load/messages.mjs'

const modern = { era: 'modern', ...echoCall('modern') }
const ARGUMENT = Object.keys(modern.expect)[0]

const rules = (count, rule) => Array.from({ length: count }, (_, at) => rule(at))

/** Never reached: what is measured is the counting. */
const LIMITS = {
  rates: [
    { name: 'all', rate: '1000000/s' },
    { name: 'echo', for: ['tools:echo/*'], perDay: 1_000_000_000, concurrent: 100_000 },
  ],
}
const RESULTS = [{ mask: ['email', 'phone', 'card', 'keys'] }]

/** All of the 20 rules with conditions are about the tool that is called, and 10 of them about its arguments. */
const RULES = [
  ...rules(20, (at) => ({ deny: [`tools:echo/admin_${at}_*`, `resources:echo/doc://secret-${at}/*`] })),
  ...rules(10, (at) => ({ who: { apiKeys: [`team-${at}`] }, deny: ['*'] })),
  ...rules(10, (at) => ({
    deny: ['tools:echo/*'],
    when: `principal.subject == "user-${at}" && !("g${at}" in groups)`,
  })),
  ...rules(5, (at) => ({
    deny: ['tools:echo/*'],
    when: `has(args.${ARGUMENT}) && args.${ARGUMENT}.startsWith("forbidden ${at}")`,
  })),
  ...rules(5, (at) => ({ deny: ['tools:echo/*'], when: `has(args.amount) && args.amount > ${at}00` })),
]

const toHttp = (settings) =>
  before((port) => gantry({ echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } }, settings))

export const policyCases = [
  {
    id: 'policy',
    title: `policy: ${RULES.length} rules, 10 of them about arguments, with limits and masking, against none of it, modern HTTP in and out`,
    metrics: RATE,
    goals: [{ metric: 'rate', over: 'ours, no rules', atLeast: 0.85 }],
    // As long as V8 compiles: after one second, the turns measure the compiler too.
    longerWarm: 10,
    starts: 4,
    contestants: [
      overHttp('ours', toHttp({ policy: { rules: RULES }, limits: LIMITS, results: RESULTS }), modern),
      overHttp('ours, no rules', toHttp(), modern),
    ],
  },
]
