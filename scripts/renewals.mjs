// npm run renewals -- [--calls 10000]   two people, two processes, tokens that rotate, delays, kill -9 and standstills
import { parseArgs } from 'node:util'
import { toolPath } from './lib/paths.mjs'
import { runNode } from './lib/processes.mjs'

const { values } = parseArgs({ options: { calls: { type: 'string', default: '10000' } } })
process.env.GANTRY_RENEWAL_CALLS = values.calls
process.exitCode = await runNode([
  toolPath('vitest'),
  'run',
  '--disableConsoleIntercept',
  'tests/gateway/account-renewals.test.ts',
])
