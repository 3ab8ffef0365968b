// npm run scale   three gateways with a real Redis behind a real nginx and a real haproxy, for official clients of both
//                 eras and servers of both
import { build } from './lib/build.mjs'
import { toolPath } from './lib/paths.mjs'
import { runNode } from './lib/processes.mjs'

await build()
process.exitCode = await runNode([toolPath('vitest'), 'run', '--disableConsoleIntercept', 'tests/scale'], {
  env: { ...process.env, GANTRY_SCALE: 'full' },
})
