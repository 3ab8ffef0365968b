import type { Command } from 'commander'
import type { CliIo } from './cli-io.ts'

/** A file under `commands/`. */
export interface CommandModule {
  register(program: Command, io: CliIo): void
}

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Only the command that was asked for is loaded. */
  load(): Promise<CommandModule>
}

/** In the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the gateway',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'init',
    summary: 'write a commented configuration to start from',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'import',
    summary: 'take over the servers of Claude, Cursor, VS Code, Windsurf and mcp.json',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'check',
    summary: 'say what is wrong with a configuration, and how to put it right',
    load: () => import('./commands/check.ts'),
  },
]
