import { basename } from 'node:path'

/** Programs that install a package, when it is not there yet, and then run it. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  'npx',
  'npm',
  'pnpm',
  'pnpx',
  'yarn',
  'bunx',
  'uvx',
  'uv',
  'pipx',
])

/** The launcher that a command is, or undefined. */
export function launcherOf(command: string): string | undefined {
  const name = basename(command.replaceAll('\\', '/')).replace(/\.(cmd|exe|ps1|bat)$/i, '')
  return LAUNCHERS.has(name) ? name : undefined
}
