// npm run kill-rounds -- [--rounds 1000]   starts servers, kills one side in the middle of a call, counts what is left
import { parseArgs } from 'node:util'
import { toolPath } from './lib/paths.mjs'
import { runNode } from './lib/processes.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } })
process.env.GANTRY_KILL_ROUNDS = values.rounds
process.env.GANTRY_LOOP_ROUNDS = values.rounds
process.exitCode = await runNode([
  toolPath('vitest'),
  'run',
  'tests/client/kill-rounds.test.ts',
  'packages/mcp/src/transport/stdio/client-loop.test.ts',
])
