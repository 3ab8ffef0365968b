// npm run scale   three gateways with a real Redis behind a real nginx and a real haproxy, for official clients of both
//                 eras and servers of both, and the official suite through each balancer
import { build } from './lib/build.mjs'
import { toolPath } from './lib/paths.mjs'
import { runNode } from './lib/processes.mjs'

await build()
const env = { ...process.env, GANTRY_SCALE: 'full' }
const codes = [
  await runNode([toolPath('vitest'), 'run', '--disableConsoleIntercept', 'tests/scale'], { env }),
]
for (const balancer of ['nginx', 'haproxy']) {
  codes.push(await runNode(['conformance/run.mjs', 'gateway', '--no-build', '--balancer', balancer]))
}
process.exitCode = Math.max(...codes)
