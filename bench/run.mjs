// npm run bench – see `npm run bench -- --help`
import { build } from '../scripts/lib/build.mjs'
import { installProject } from '../scripts/lib/install.mjs'
import { stopWithParent } from '../scripts/lib/processes.mjs'
import { clientCases } from './cases/client.mjs'
import { gatewayCases } from './cases/gateway.mjs'
import { largeCases } from './cases/large.mjs'
import { listCases } from './cases/lists.mjs'
import { memoryCases } from './cases/memory.mjs'
import { serverCases } from './cases/server.mjs'
import { startCases } from './cases/start.mjs'
import { measureCase } from './lib/measure.mjs'
import { readOptions } from './lib/options.mjs'
import { AT_HAND, installPeers } from './lib/peers.mjs'
import { formatCase } from './lib/report.mjs'

const CASES = [
  ...serverCases,
  ...clientCases,
  ...gatewayCases,
  ...listCases,
  ...largeCases,
  ...startCases,
  ...memoryCases,
]

stopWithParent()
try {
  const options = readOptions(process.argv.slice(2))
  if (options?.list) for (const { id, title } of CASES) console.log(`${id.padEnd(32)}${title}`)
  else if (options) await bench(options)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function bench(options) {
  const cases = choose(options)
  if (options.build) {
    await installProject()
    await build()
  }
  if (cases.some(({ contestants }) => contestants.some(({ name }) => !isAtHand(name)))) await installPeers()
  for (const each of cases) {
    const result = await measureCase(each, options)
    console.log(formatCase(result))
    if (result.errors) process.exitCode = 1
  }
}

/** The cases that were asked for, with those contestants that were asked for. */
function choose({ names, only, short }) {
  const prefixes = only ?? (short ? AT_HAND : [''])
  const cases = CASES.filter(({ id }) => names.length === 0 || names.some((name) => id.startsWith(name)))
  if (cases.length === 0) throw new Error(`no case begins with '${names.join("' or '")}'; see --list`)
  return cases.map((each) => ({
    ...each,
    contestants: each.contestants.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix))),
  }))
}

function isAtHand(name) {
  return AT_HAND.some((prefix) => name.startsWith(prefix))
}
