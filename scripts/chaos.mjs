// npm run chaos -- [--rounds 1000] [--targets 20] [--seed N] [--gateway-every 25]   breaks a gateway in every way we know and counts
import { parseArgs } from 'node:util'
import { build } from './lib/build.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    targets: { type: 'string', default: '20' },
    seed: { type: 'string' },
    'gateway-every': { type: 'string', default: '25' },
  },
})
await build()
const { describeReport, runChaos } = await import('../tests/chaos/run-chaos.mjs')
const report = await runChaos({
  rounds: Number(values.rounds),
  targets: Number(values.targets),
  gatewayEvery: Number(values['gateway-every']),
  ...(values.seed && { seed: Number(values.seed) }),
  log: (line) => console.log(line),
})
console.log(describeReport(report))
const failures = report.orphans + report.lost.length + report.unhandled.length + report.crashes.length
process.exitCode = failures === 0 ? 0 : 1
