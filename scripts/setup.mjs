// Installs and builds what is missing or stale, and nothing else. `npm start` and `npm test` begin with it.
import { build } from './lib/build.mjs'
import { installProject } from './lib/install.mjs'
import { requireNode } from './lib/require-node.mjs'
import { stopWithParent } from './lib/processes.mjs'

requireNode()
stopWithParent()
try {
  const installed = await installProject()
  const built = await build()
  if (!installed && built.length === 0) console.log('everything is up to date')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
