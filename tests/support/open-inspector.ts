import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inspector } from '../../scripts/lib/inspector.mjs'

const run = promisify(execFile)

export interface OpenInspector {
  /** Runs the command line once and returns the result that it prints. */
  inspect(...args: string[]): Promise<Record<string, unknown>>
  close(): Promise<void>
}

/** The command line of the MCP Inspector, installed when it is missing: that may take minutes. */
export async function openInspector(): Promise<OpenInspector> {
  const { command, args: launch } = await inspector()
  // It keeps files in the home directory; ours is left alone.
  const home = await mkdtemp(join(tmpdir(), 'gantry-inspector-'))
  return {
    async inspect(...args) {
      const { stdout } = await run(command, [...launch, '--cli', ...args, '--format', 'json', '--quiet'], {
        env: { ...process.env, HOME: home, USERPROFILE: home },
        timeout: 60_000,
      })
      return (JSON.parse(stdout) as { result: Record<string, unknown> }).result
    },
    close: () => rm(home, { recursive: true, force: true }),
  }
}
