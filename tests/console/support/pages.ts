import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BOTH_ERAS } from '../../support/start-gateway.ts'

const EVERYTHING = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  '../dist/index.js',
)

const MANY = fileURLToPath(new URL('../../fixtures/many-tools-server.mjs', import.meta.url))

/** Page, what it has to show before it counts as there. */
export const PAGES: [string, string][] = [
  ['/', 'Connect a client'],
  ['/waiting', 'Nothing waits for an answer'],
  ['/approvals', 'No call waits for approval'],
  ['/targets/everything', 'Last lines of its log'],
  ['/targets/everything?tab=handshake', 'Handshake'],
  ['/targets/everything?tab=stderr', 'Find in the log'],
  ['/targets/everything?tab=processes', 'CPU time'],
  ['/targets/everything?tab=capabilities', 'Its answer to the handshake'],
  ['/targets/everything?tab=configuration', 'Undo changes'],
  ['/targets/missing', 'which no-such-command-anywhere'],
  ['/targets/nobody', 'There is no target'],
  ['/add-target', 'Try it'],
  ['/catalog', 'Refresh all lists'],
  ['/catalog?entry=everything_echo&entryKind=tool', 'Definition as clients get it'],
  ['/catalog?entry=everything_nothing&entryKind=tool', 'the page Why of the console'],
  ['/catalog?view=changes', 'What changed'],
  ['/catalog?view=cost', 'The dearest entries'],
  ['/playground', 'Choose what to call'],
  ['/playground?kind=tool&name=everything_echo', 'message'],
  ['/playground?kind=request&name=tools/list', 'completion/complete'],
  ['/wire', 'Record messages'],
  ['/wire?view=timeline', 'Failures'],
  ['/tools', 'Last used'],
  ['/events', 'What the gateway logged last'],
  ['/audit', 'No audit trail is kept'],
  ['/clients', 'Who uses this gateway'],
  ['/access', 'Everybody who reaches the port comes in'],
  ['/access?tab=connections', 'Nobody has connected an account'],
  ['/access?tab=rules', 'There are no rules'],
  ['/access?tab=limits', 'There are no limits'],
  ['/access?tab=results', 'Nothing is taken out of results'],
  ['/access?tab=views', '/mcp/desk'],
  ['/access?tab=try&name=everything_echo', 'Chain of causes'],
  ['/access?tab=seen', 'are seen, for'],
  ['/view', 'Give it a name'],
  ['/view?name=desk&entry=tool+everything+echo', 'What the target has'],
  ['/configuration', 'Review and apply'],
  ['/why', 'Nothing asked yet'],
  ['/why?name=missing_tool', 'Chain of causes'],
  ['/no-such-page', 'This page does not exist'],
]

/** Pages ask again while the gateway still tries targets, so it soon gives up those that never start. */
const restart = { minDelay: 10, maxDelay: 100 }

/** A gateway that has something to show on each page. */
export const config: Record<string, unknown> = {
  mcpServers: {
    ...BOTH_ERAS.mcpServers,
    everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] },
    missing: { command: 'no-such-command-anywhere', restart },
    many: { command: process.execPath, args: [MANY, '2000', 'many'] },
    // Lists to choose from are as wide as their longest name, unless they are kept from it.
    'a-target-with-a-very-long-name-that-somebody-gave-it-in-a-hurry': {
      command: 'no-such-command',
      restart,
    },
  },
  views: { desk: { use: ['tools:everything/*'] } },
}

/** How many entries its catalog has. */
export const ENTRIES = 2_030
