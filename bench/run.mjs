// npm run bench – see `npm run bench -- --help`
import { relative } from 'node:path'
import { build } from '../scripts/lib/build.mjs'
import { installProject } from '../scripts/lib/install.mjs'
import { stopWithParent } from '../scripts/lib/processes.mjs'
import { CASES } from './cases/index.mjs'
import { FALL, formatRegression, lastingRegressions } from './lib/compare.mjs'
import { measureCase } from './lib/measure.mjs'
import { measureCurve } from './lib/measure-curve.mjs'
import { readOptions } from './lib/options.mjs'
import { installNative } from './lib/native.mjs'
import { installPeers } from './lib/peers.mjs'
import { formatCase } from './lib/report.mjs'
import { readRecorded, record, writeLatest } from './lib/results.mjs'
import { writeDocs } from './lib/write-docs.mjs'

const ORDER = CASES.map(({ id }) => id)

stopWithParent()
try {
  const options = readOptions(process.argv.slice(2))
  if (options?.list) for (const { id, title } of CASES) console.log(`${id.padEnd(32)}${title}`)
  else if (options?.docs) writeDocs(readRecorded())
  else if (options) await bench(options)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function bench(options) {
  const cases = chosenCases(options)
  if (options.build) {
    await installProject()
    await build()
  }
  if (options.peers && cases.some(({ native }) => !native)) await installPeers()
  if (cases.some(({ native }) => native)) await installNative()
  const results = []
  for (const each of cases) {
    const result = await measure(each, options)
    // What a short run measures is too little to judge by.
    console.log(formatCase(options.short ? { ...result, goals: [] } : result))
    results.push(result)
    // At once: a long run that is interrupted keeps what it has.
    if (options.record && !result.errors) writeDocs(record(result, ORDER, options))
  }
  await conclude(results, options)
}

function measure(definition, options) {
  if (definition.xs) return measureCurve(definition, options)
  return measureCase({ ...definition, contestants: options.chosen(definition.contestants) }, options)
}

function chosenCases({ names }) {
  // Those beside native programs need cargo and go.
  const isChosen = ({ id, native }) =>
    names.length === 0 ? !native : names.some((name) => id.startsWith(name))
  const cases = CASES.filter(isChosen)
  if (cases.length === 0) throw new Error(`no case begins with '${names.join("' or '")}'; see --list`)
  return cases
}

/** Errors fail a run, and so does a regression when it was asked for; a missed goal does not. */
async function conclude(results, options) {
  const goals = results.flatMap((result) => result.goals).filter(({ held }) => held !== undefined)
  const missed = goals.filter(({ held }) => !held).length
  if (!options.short) console.log(`${goals.length - missed} of ${goals.length} goals hold`)
  console.log(`results: ${relative('.', writeLatest(results, options))}`)
  const whole = results.filter(({ errors }) => !errors)
  if (options.compare) await compare(whole, options)
  const failed = results.filter(({ errors }) => errors).map(({ id }) => id)
  if (failed.length > 0) throw new Error(`errors in ${failed.join(', ')}`)
}

async function compare(results, options) {
  const again = async (id) => {
    console.log(`again, because a ratio fell: ${id}`)
    return measure(
      CASES.find((each) => each.id === id),
      options,
    )
  }
  const regressions = await lastingRegressions(readRecorded().cases, results, again)
  for (const each of regressions) console.log(formatRegression(each))
  const fall = `by more than ${FALL * 100} %`
  if (regressions.length > 0) throw new Error(`${regressions.length} ratios fell ${fall}`)
  console.log(`no ratio fell ${fall}`)
}
