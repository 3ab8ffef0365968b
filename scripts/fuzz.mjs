// npm run fuzz -- [principals|server|client] [--operations 200000] [--seed N]   random traffic, and what must hold all the same
import { parseArgs } from 'node:util'
import { toolPath } from './lib/paths.mjs'
import { runNode } from './lib/processes.mjs'

const KINDS = ['principals', 'server', 'client']
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { operations: { type: 'string', default: '200000' }, seed: { type: 'string' } },
})
const unknown = positionals.find((kind) => !KINDS.includes(kind))
if (unknown !== undefined) {
  console.error(`There is no fuzz run '${unknown}'. Runs: ${KINDS.join(', ')}.`)
  process.exit(1)
}
process.env.GANTRY_FUZZ_OPERATIONS = values.operations
if (values.seed !== undefined) process.env.FUZZ_SEED = values.seed
const kinds = positionals.length > 0 ? positionals : KINDS
process.exitCode = await runNode([toolPath('vitest'), 'run', ...kinds.map((kind) => `tests/fuzz/${kind}`)])
