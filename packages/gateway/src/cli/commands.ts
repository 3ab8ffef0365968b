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

const entry = (name: string, summary: string, load: CommandEntry['load']): CommandEntry => ({
  name,
  summary,
  load,
})

export const COMMANDS: readonly CommandEntry[] = [
  entry('serve', 'run the gateway', async () => {
    // The thread of the store starts while the rest is loaded.
    const { storeThread } = await import('../store/embedded/thread-client.ts')
    storeThread()
    return import('./commands/serve.ts')
  }),
  entry(
    'reload',
    'replace the workers of the running gateway, one after another',
    () => import('./commands/reload.ts'),
  ),
  entry('console', 'open the console of the running gateway', () => import('./commands/console.ts')),
  entry('init', 'write a commented configuration to start from', () => import('./commands/init.ts')),
  entry(
    'import',
    'take over the servers of Claude, Cursor, VS Code, Windsurf and mcp.json',
    () => import('./commands/import.ts'),
  ),
  entry(
    'check',
    'say what is wrong with a configuration, and how to put it right',
    () => import('./commands/check.ts'),
  ),
  entry('policy', 'run the tests of the policy', () => import('./commands/policy.ts')),
  entry(
    'approvals',
    'show the calls that wait for approval; approve or deny one',
    () => import('./commands/approvals.ts'),
  ),
  entry(
    'targets',
    'show the targets and how they are; start, stop or restart one',
    () => import('./commands/targets.ts'),
  ),
  entry('tools', 'list what the targets offer', () => import('./commands/tools.ts')),
  entry('top', 'show which tools are used most, fail or are slow', () => import('./commands/top.ts')),
  entry('call', 'call a tool', () => import('./requests/call.ts')),
  entry('read', 'read a resource', () => import('./requests/read.ts')),
  entry('prompt', 'get a prompt', () => import('./requests/prompt.ts')),
  entry(
    'doctor',
    'walk through the start of targets and say what is wrong with them',
    () => import('./commands/doctor.ts'),
  ),
  entry(
    'why',
    'say why a tool is missing, slow, denied, renamed or stale',
    () => import('./commands/why.ts'),
  ),
  entry('keys', 'make, list and revoke keys for clients', () => import('./commands/keys.ts')),
  entry(
    'connections',
    'show the accounts that people have connected; remove them',
    () => import('./commands/connections.ts'),
  ),
  entry('vault', 'change the key that accounts of people are under', () => import('./commands/vault.ts')),
  entry(
    'audit',
    'look into the audit trail: verify, search or follow it',
    () => import('./commands/audit.ts'),
  ),
  entry(
    'store',
    'look into the store: check it, print it, write it back to files',
    () => import('./commands/store.ts'),
  ),
  entry(
    'dev',
    'run a server that you are writing, and start it again with every change',
    () => import('./commands/dev.ts'),
  ),
  entry('types', 'write the types of a server, for typed clients', () => import('./commands/types.ts')),
  entry(
    'codemod',
    'rewrite servers of the official TypeScript SDK 1.x for @gantry/mcp',
    () => import('./commands/codemod.ts'),
  ),
  entry('record', 'write the traffic of a target to a file', () => import('./commands/record.ts')),
  entry('replay', 'serve a recording as a mock', () => import('./commands/replay.ts')),
]
