// npm run bench – see `npm run bench -- --help`
import { build } from '../scripts/lib/build.mjs'
import { installProject } from '../scripts/lib/install.mjs'
import { stopWithParent } from '../scripts/lib/processes.mjs'
import { CASES } from './cases/index.mjs'
import { measureCase } from './lib/measure.mjs'
import { measureCurve } from './lib/measure-curve.mjs'
import { readOptions } from './lib/options.mjs'
import { installPeers } from './lib/peers.mjs'
import { formatCase } from './lib/report.mjs'

stopWithParent()
try {
  const options = readOptions(process.argv.slice(2))
  if (options?.list) for (const { id, title } of CASES) console.log(`${id.padEnd(24)}${title}`)
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
  if (options.peers) await installPeers()
  for (const each of cases) {
    const result = await measure(each, options)
    console.log(formatCase(result))
    if (result.errors) process.exitCode = 1
  }
}

function measure(definition, options) {
  if (definition.xs) return measureCurve(definition, options)
  return measureCase({ ...definition, contestants: options.chosen(definition.contestants) }, options)
}

function chosenCases({ names }) {
  const cases = CASES.filter(({ id }) => names.length === 0 || names.some((name) => id.startsWith(name)))
  if (cases.length === 0) throw new Error(`no case begins with '${names.join("' or '")}'; see --list`)
  return cases
}
