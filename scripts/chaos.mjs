// npm run chaos -- [--rounds 1000] [--targets 20] [--seed N] [--gateway-every 25]   breaks a gateway in every way we know and counts
// npm run chaos -- --replicas 3 [--rounds 1000] [--seed N] [--minutes M] [--only FAULT] [--journal FILE]   the same with gateways that act as one
import { parseArgs } from 'node:util'
import { build } from './lib/build.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    targets: { type: 'string', default: '20' },
    seed: { type: 'string' },
    'gateway-every': { type: 'string', default: '25' },
    replicas: { type: 'string' },
    minutes: { type: 'string' },
    only: { type: 'string' },
    journal: { type: 'string' },
  },
})
await build()
process.exitCode = await (values.replicas ? breakReplicas() : breakGateway())

async function breakGateway() {
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
  return failures === 0 ? 0 : 1
}

async function breakReplicas() {
  await import('./lib/typescript-loader.mjs')
  const { runReplicaChaos } = await import('../tests/chaos/replicas/run.ts')
  const seed = Number(values.seed ?? Date.now() % 1e6)
  console.log(`seed ${seed}`)
  const report = await runReplicaChaos({
    rounds: Number(values.rounds),
    replicas: Number(values.replicas),
    seed,
    ...(values.journal && { journal: values.journal }),
    ...(values.only && { only: values.only }),
    ...(values.minutes && { within: Number(values.minutes) * 60_000 }),
    log: (line) => console.log(line),
  })
  console.log(report.describe())
  console.log(report.faults)
  return report.isClean ? 0 : 1
}
