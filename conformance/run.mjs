// Runs the official conformance suite strictly: see lib/judge.mjs for what counts as a failure.
import { writeFileSync } from 'node:fs'
import { build } from '../scripts/lib/build.mjs'
import { stopWithParent } from '../scripts/lib/processes.mjs'
import { ExpectedChecks } from './lib/expected-checks.mjs'
import { judge, passedIds } from './lib/judge.mjs'
import { parseOptions, USAGE } from './lib/options.mjs'
import { plan, pooled } from './lib/plan.mjs'
import { Referee } from './lib/referee.mjs'
import { printResult, printTable, scenarioCounts } from './lib/report.mjs'
import { clientCommand, startServer } from './lib/subject.mjs'

const RUNS = { server: runServer, client: runClient }

stopWithParent()
try {
  const options = parseOptions(process.argv.slice(2))
  process.exitCode = options.help ? console.log(USAGE) : await main(options)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function main(options) {
  if (options.build) await build()
  const context = { options, referee: await Referee.find(), expected: ExpectedChecks.read() }
  const results = []
  for (const role of options.roles) results.push(...(await RUNS[role](context)))
  const failed = results.filter((result) => result.problems.length > 0)
  if (options.record && failed.length === 0) context.expected.write()
  const report = { passed: results.length - failed.length, failed: failed.length, results }
  if (options.json) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`)
  return failed.length > 0 ? 1 : 0
}

async function runServer(context) {
  if (context.options.url) return runCell({ role: 'server', subject: context.options.url }, context)
  const server = await startServer('conformance/server.mjs')
  try {
    const results = await runCell({ role: 'server', subject: server.url }, context)
    if (server.failure) throw new Error(server.failure)
    return results
  } finally {
    await server.stop()
  }
}

function runClient(context) {
  const subject = context.options.command ?? clientCommand('conformance/client.mjs')
  return runCell({ role: 'client', subject }, context)
}

async function runCell({ role, subject }, { referee, expected, options }) {
  const runs = plan(await referee.scenarios(role), { only: options.scenarios, revisions: options.revisions })
  if (runs.length === 0) throw new Error(`no ${role} scenario matches`)
  const results = await pooled(runs, options.jobs, async (run) => {
    const began = performance.now()
    const end = await referee.run({ ...run, role, subject, timeout: options.timeout })
    const problems = judge(end, expected.of(role, run.scenario, run.group))
    if (options.record && problems.length === 0) {
      expected.add(role, run.scenario, run.group, passedIds(end.checks))
    }
    const checked = (end.checks ?? []).filter((check) => check.status === 'SUCCESS').length
    const result = { role, ...run, problems, checked, milliseconds: Math.round(performance.now() - began) }
    printResult(result)
    if (options.verbose) console.log(end.log)
    return result
  })
  printTable(`${role}, strictly:`, results)
  const { passed, total } = scenarioCounts(results)
  console.log(`${role}: ${passed} of ${total} scenarios pass at every revision they apply to`)
  return results
}
