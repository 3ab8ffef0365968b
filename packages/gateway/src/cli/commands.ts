import type { Command } from 'commander'
import type { CliIo } from './cli-io.ts'

export interface CommandModule {
  register(program: Command, io: CliIo): void
}

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Only the command that was asked for is loaded. */
  load(): Promise<CommandModule>
}

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
  {
    name: 'targets',
    summary: 'show the targets and how they are; start, stop or restart one',
    load: () => import('./commands/targets.ts'),
  },
  {
    name: 'tools',
    summary: 'list what the targets offer',
    load: () => import('./commands/tools.ts'),
  },
  {
    name: 'call',
    summary: 'call a tool',
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'read',
    summary: 'read a resource',
    load: () => import('./commands/read.ts'),
  },
  {
    name: 'prompt',
    summary: 'get a prompt',
    load: () => import('./commands/prompt.ts'),
  },
  {
    name: 'doctor',
    summary: 'walk through the start of targets and say what is wrong with them',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'why',
    summary: 'say why a tool is missing, slow, denied, renamed or stale',
    load: () => import('./commands/why.ts'),
  },
  {
    name: 'store',
    summary: 'look into the store: check it, print it, write it back to files',
    load: () => import('./commands/store.ts'),
  },
  {
    name: 'dev',
    summary: 'run a server that you are writing, and start it again with every change',
    load: () => import('./commands/dev.ts'),
  },
  {
    name: 'record',
    summary: 'write the traffic of a target to a file',
    load: () => import('./commands/record.ts'),
  },
  {
    name: 'replay',
    summary: 'serve a recording as a mock',
    load: () => import('./commands/replay.ts'),
  },
]
