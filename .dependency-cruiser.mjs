// The layers of the repository as rules: which folder may import which. ARCHITECTURE.md explains the table.
import { readFileSync } from 'node:fs'

const MCP = 'packages/mcp/src/'
const GATEWAY = 'packages/gateway/src/'
const CONSOLE = 'packages/console/'
const TESTS = String.raw`\.test(-d|\.support)?\.tsx?$|/fixtures/`

/** The files behind the SDK's public entries, such as `server/index.ts` for `@gantry/mcp/server`. */
const ENTRIES = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(new URL('packages/mcp/package.json', import.meta.url))).exports)
    .filter(([, target]) => target.source)
    .map(([entry, target]) => [entry.replace('.', '@gantry/mcp'), target.source.replace('./src/', MCP)]),
)
const SDK = Object.values(ENTRIES)
const SDK_CLIENT = ['client', 'client/node', 'exchange'].map((entry) => ENTRIES[`@gantry/mcp/${entry}`])

/**
 * What each part may import besides itself. A part may also use what its imports rest on, so `schema`, which
 * rests on `protocol`, may name `jsonrpc` as well. Keys and values are the beginnings of paths; an entry that
 * is a file is that file alone.
 */
const LAYERS = {
  ...within(MCP, {
    'jsonrpc/': [],
    'protocol/': ['jsonrpc/'],
    'schema/': ['protocol/', 'jsonrpc/'],
    'exchange/': ['jsonrpc/', 'protocol/'],
    'server/': ['exchange/', 'schema/', 'protocol/', 'jsonrpc/'],
    'client/': ['exchange/', 'schema/', 'protocol/', 'jsonrpc/'],
    'transport/': ['jsonrpc/', 'exchange/', 'protocol/', 'server/index.ts', 'client/index.ts'],
    'auth/': ['protocol/', 'jsonrpc/'],
    // The public face only: our extensions can do nothing that a user's could not.
    'extensions/': ['server/index.ts', 'client/index.ts', 'exchange/index.ts', 'protocol/', 'jsonrpc/'],
  }),
  ...within(GATEWAY, {
    'model/': [],
    'config/': ['model/'],
    'targets/': ['model/', ...SDK_CLIENT],
    'catalog/': ['model/', 'targets/', ...SDK_CLIENT],
    'policy/': ['model/'],
    'telemetry/': ['model/'],
    'relay/': ['catalog/', 'policy/', 'targets/', 'model/', ...SDK],
    'admin/': ['model/', 'config/', 'targets/', 'catalog/', 'relay/', 'policy/', 'telemetry/', ...SDK],
    // `serve` starts the gateway; every other command talks to a running one.
    'cli/': ['admin/contract', 'main.ts', ...SDK_CLIENT],
    'main.ts': ['', ...SDK],
  }),
  // The console knows the gateway by its admin contract and the SDK not at all.
  [CONSOLE]: [`${GATEWAY}admin/contract`],
}

/** Files in transport/ that are public entries, or part of one: only they may join a transport to a side. */
const JOINTS = {
  server: String.raw`^${MCP}transport/server[^/]*\.ts$`,
  client: String.raw`^${MCP}transport/(client[^/]*|connect)\.ts$`,
}

export default {
  forbidden: [
    ...Object.entries(LAYERS).map(([part, allowed]) => ({
      name: `${part.replace(/^packages\//, '')} imports only what its layer allows`,
      severity: 'error',
      from: { path: `^${escaped(part)}`, pathNot: TESTS },
      to: {
        path: '^packages/',
        pathNot: `^(${[part, ...allowed].map(escaped).join('|')})`,
      },
    })),
    ...Object.entries(JOINTS).map(([side, joints]) => ({
      name: `only transport/${side}* joins a transport to the ${side}`,
      severity: 'error',
      from: { path: `^${MCP}transport/`, pathNot: `${joints}|${TESTS}` },
      to: { path: `^${MCP}${side}/` },
    })),
    {
      name: 'node:* only in *.node.ts',
      comment: 'Every entry that does not say `node` runs on any runtime.',
      severity: 'error',
      from: { path: `^${MCP}`, pathNot: String.raw`\.node\.ts$|${TESTS}` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: '*.node.ts only from *.node.ts',
      comment: 'Importing a Node file would make the importing entry one.',
      severity: 'error',
      from: { path: `^${MCP}`, pathNot: String.raw`\.node\.ts$|${TESTS}` },
      to: { path: String.raw`^${MCP}.*\.node\.ts$` },
    },
    {
      name: 'no cycles',
      comment: 'Type imports are erased, so they may point back.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'imports resolve',
      severity: 'error',
      from: { path: '^packages/' },
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'types', 'node', 'import', 'default'],
    },
  },
}

function within(folder, layers) {
  const inside = (path) => (path.startsWith('packages/') ? path : folder + path)
  return Object.fromEntries(
    Object.entries(layers).map(([part, allowed]) => [inside(part), allowed.map(inside)]),
  )
}

function escaped(path) {
  return path.replaceAll('.', String.raw`\.`)
}
