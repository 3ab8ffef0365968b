// Runs the official conformance suite strictly: see lib/judge.mjs for what counts as a failure.
import { writeFileSync } from 'node:fs'
import { build } from '../scripts/lib/build.mjs'
import { stopWithParent } from '../scripts/lib/processes.mjs'
import { writeDocument } from './lib/document.mjs'
import { ExpectedChecks } from './lib/expected-checks.mjs'
import { CELLS, startCell } from './lib/gateway-cells.mjs'
import { judge, passedIds } from './lib/judge.mjs'
import { printMatrix } from './lib/matrix.mjs'
import { excuse, notPossible } from './lib/not-possible.mjs'
import { parseOptions, USAGE } from './lib/options.mjs'
import { plan, pooled } from './lib/plan.mjs'
import { Referee } from './lib/referee.mjs'
import { printResult, printTable, scenarioCounts } from './lib/report.mjs'
import { startSignIn } from './lib/sign-in.mjs'
import { clientCommand, startServer } from './lib/subject.mjs'

const RUNS = { server: runServer, client: runClient, gateway: runGateway, authorization: runAuthorization }

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
  if (results.length === 0) throw new Error('no scenario matches')
  const failed = results.filter((result) => result.problems.length > 0)
  if (options.record && failed.length === 0) context.expected.write()
  const excused = results.filter((result) => result.notPossible !== undefined)
  const passed = results.length - failed.length - excused.length
  const report = { passed, failed: failed.length, notPossible: excused.length, results }
  if (options.write) writeDocument(results)
  if (options.json) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`)
  return failed.length > 0 ? 1 : 0
}

async function runServer(context) {
  if (context.options.url) return runScenarios({ role: 'server', subject: context.options.url }, context)
  return withSubject(startServer('conformance/server.mjs'), (server) =>
    runScenarios({ role: 'server', subject: server.url }, context),
  )
}

function runClient(context) {
  const subject = context.options.command ?? clientCommand('conformance/client.mjs')
  return runScenarios({ role: 'client', subject }, context)
}

/** The server scenarios of one client era through a gateway, in each cell of the matrix. */
async function runGateway({ options, ...context }) {
  const cells = CELLS.filter((cell) => options.cells.some((part) => cell.name.includes(part)))
  if (cells.length === 0) throw new Error(`no cell matches '${options.cells.join("', '")}'`)
  const results = []
  for (const cell of cells) {
    const jobs = cell.jobs ?? options.jobs
    const narrowed = { ...context, options: { ...options, jobs, revisions: [cell.revision] } }
    const run = {
      role: 'server',
      title: `${options.balancer ? `three gateways behind ${options.balancer}` : 'gateway'} ${cell.name}`,
      cell: cell.name,
    }
    const done = await withSubject(startCell(cell, options.balancer), ({ url }) =>
      runScenarios({ ...run, subject: url }, narrowed),
    )
    results.push(...done.map((result) => ({ ...result, role: 'gateway' })))
  }
  printMatrix(results)
  return results
}

/** Our authorization server. A person has to log in each time, one after another at one callback. */
function runAuthorization({ options, ...context }) {
  return withSubject(startSignIn(), (subject) =>
    runScenarios({ role: 'authorization', subject }, { ...context, options: { ...options, jobs: 1 } }),
  )
}

async function withSubject(starting, use) {
  const subject = await starting
  try {
    const results = await use(subject)
    if (subject.failure) throw new Error(subject.failure)
    return results
  } finally {
    await subject.stop()
  }
}

async function runScenarios({ role, subject, title = role, cell }, { referee, expected, options }) {
  const runs = plan(await referee.scenarios(role), { only: options.scenarios, revisions: options.revisions })
  if (runs.length === 0) return []
  const results = await pooled(runs, options.jobs, (run) =>
    runOne({ ...run, role, subject, cell }, { referee, expected, options }),
  )
  printTable(`${title}, strictly:`, results)
  const { passed, total } = scenarioCounts(results)
  console.log(`${title}: ${passed} of ${total} scenarios pass at every revision they apply to`)
  return results
}

async function runOne(run, { referee, expected, options }) {
  const began = performance.now()
  const end = await referee.run({ ...run, timeout: options.timeout })
  const verdict = {
    problems: judge(end, expected.of(run.role, run.scenario, run.group)),
    checked: passedIds(end.checks ?? []),
  }
  const judged = run.cell === undefined ? verdict : excuse(verdict, notPossible(run.cell, run.scenario))
  const { problems } = judged
  if (options.record && run.cell === undefined && problems.length === 0) {
    expected.add(run.role, run.scenario, run.group, verdict.checked)
  }
  const checked = (end.checks ?? []).filter((check) => check.status === 'SUCCESS').length
  const result = {
    ...run,
    problems,
    notPossible: judged.notPossible,
    checked,
    milliseconds: Math.round(performance.now() - began),
  }
  printResult(result)
  if (options.verbose) console.log(end.log)
  return result
}
