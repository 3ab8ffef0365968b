import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { npmCommand } from '../../../scripts/lib/install.mjs'
import { ROOT } from '../../../scripts/lib/paths.mjs'

const CREATE = join(ROOT, 'packages/create-gantry/bin/create-gantry.mjs')
const run = promisify(execFile)

/**
 * Makes a project inside a folder that has the packed SDK in its node_modules, gives it what this repository has of
 * its other dependencies, and runs its tests. Nothing comes from the network.
 */
export async function testCreated(flags: readonly string[], folder: string): Promise<string> {
  await run(process.execPath, [CREATE, folder, ...flags])
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    if (name !== '@gantry/mcp') link(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  link('../typescript/bin/tsc', join(folder, 'node_modules', '.bin', 'tsc'))
  const npm = npmCommand()
  const { stdout } = await run(npm.command, [...npm.args, 'test'], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined },
  })
  return stdout
}

function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(from, to, 'junction')
}
