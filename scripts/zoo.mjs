// npm run zoo -- [NAME …] [--write]   drives real servers and clients of others through the gateway; see docs/zoo.md
import { parseArgs } from 'node:util'
import { build } from './lib/build.mjs'
import { installProject } from './lib/install.mjs'
import { requireNode } from './lib/require-node.mjs'
import { stopWithParent } from './lib/processes.mjs'

requireNode()
stopWithParent()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  console.log(`npm run zoo                  installs and drives everything (an hour on two cores)
npm run zoo -- time fetch    only these
npm run zoo -- sdk-go        only this SDK, as server and as client
npm run zoo -- --write       writes what was found to docs/zoo.md`)
} else {
  await installProject()
  await build()
  const { runZoo } = await import('./zoo/run-zoo.mjs')
  process.exitCode = await runZoo({ names: positionals, write: values.write })
}
