import { run } from '../../../lib/processes.mjs'

/** Runs a program that installs or builds; throws when it fails. */
export async function must(command, args, cwd) {
  const code = await run(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (code !== 0) throw new Error(`${command} ${args[0]} failed with exit code ${code}`)
}
