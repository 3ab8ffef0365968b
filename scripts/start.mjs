// npm start: installs and builds what is missing, then runs the gateway with its demo configuration.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './lib/build.mjs'
import { installProject } from './lib/install.mjs'
import { ROOT } from './lib/paths.mjs'
import { runNode, stopWithParent } from './lib/processes.mjs'
import { requireNode } from './lib/require-node.mjs'

const CANDIDATES = [
  ['packages/gateway/dist/cli/gantry.js', 'serve', '--demo'],
  ['examples/demo-server.mjs', 'http'],
]

requireNode()
stopWithParent()
try {
  await installProject()
  await build()
  const found = CANDIDATES.find(([script]) => existsSync(join(ROOT, script)))
  if (!found)
    throw new Error(`nothing to start: neither ${CANDIDATES.map(([script]) => script).join(' nor ')} exists`)
  process.exitCode = await runNode([...found, ...process.argv.slice(2)])
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
