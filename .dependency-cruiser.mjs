// The layers of the repository as rules: which folder may import which. ARCHITECTURE.md explains the table.
import { readFileSync } from 'node:fs'

const MCP = 'packages/mcp/src/'
const GATEWAY = 'packages/gateway/src/'
const CONSOLE = 'packages/console/'
/** `x.test.ts`, `x.test-d.ts`, `x.test.support.ts`, and what only tests start. */
const TESTS = String.raw`\.test[.-]|/fixtures/`

/** The files behind the SDK's public entries, such as `server/index.ts` for `@gantry/mcp/server`. */
const ENTRIES = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(new URL('packages/mcp/package.json', import.meta.url))).exports)
    .filter(([, target]) => target['@gantry/source'])
    .map(([entry, target]) => [
      entry.replace('.', '@gantry/mcp'),
      target['@gantry/source'].replace('./src/', MCP),
    ]),
)
const SDK = Object.values(ENTRIES)
/** The client's face: connecting, the contract of exchanges, and credentials. */
const SDK_CLIENT = ['client', 'client/node', 'exchange', 'auth', 'auth/node'].map(
  (entry) => ENTRIES[`@gantry/mcp/${entry}`],
)

/** How to read what others send. Every part of the gateway may use it. */
const FOREIGN = ENTRIES['@gantry/mcp/foreign']

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
    'transport/': ['jsonrpc/', 'exchange/', 'protocol/'],
    // The public entries join a side to its transports.
    'entries/': [
      'transport/',
      'server/index.ts',
      'client/index.ts',
      'schema/index.ts',
      'exchange/',
      'protocol/',
      'jsonrpc/',
    ],
    // How requests are made on this platform is known in one place.
    'auth/': ['protocol/', 'jsonrpc/', 'transport/http/client/default-fetch.ts'],
    // The public face only: our extensions can do nothing that a user's could not.
    'extensions/': ['server/index.ts', 'client/index.ts', 'exchange/index.ts', 'protocol/', 'jsonrpc/'],
    'middleware/': ['server/index.ts', 'exchange/', 'protocol/', 'jsonrpc/'],
    'tracing/': ['exchange/', 'protocol/', 'jsonrpc/'],
    'testing/': [''],
    'index.ts': ['entries/server.ts', 'entries/client.ts', 'entries/memory.ts'],
  }),
  ...within(GATEWAY, {
    'model/': [],
    // Pure: what rules say of a request. Only exchanges' types and numbers come from elsewhere.
    'rules/': ['model/', ENTRIES['@gantry/mcp/exchange']],
    'config/': ['model/', 'rules/'],
    'store/': [],
    // Doors in: keys, issuers, our own sign-in.
    'identity/': ['model/', 'rules/', 'store/', ...SDK],
    // The exchange log sees what crosses targets and relay; it lies below both (docs/adr/0002).
    'targets/': ['model/', 'store/', 'telemetry/', ...SDK_CLIENT],
    'catalog/': ['model/', 'store/', 'targets/', ...SDK_CLIENT],
    'telemetry/': ['model/', 'store/', ENTRIES['@gantry/mcp/tracing'], ...SDK_CLIENT],
    'relay/': ['catalog/', 'targets/', 'telemetry/', 'model/', ...SDK],
    'audit/': ['model/', ENTRIES['@gantry/mcp/exchange']],
    'chain/': [
      'audit/',
      'relay/',
      'catalog/',
      'store/',
      'targets/',
      'telemetry/',
      'rules/',
      'model/',
      ...SDK,
    ],
    'admin/': [
      'model/',
      'audit/',
      'rules/',
      'config/',
      'targets/',
      'catalog/',
      'chain/',
      'telemetry/',
      'identity/',
      'front/',
      'store/',
      'gateway.ts',
      'endpoint.ts',
      ...SDK,
    ],
    'front/': [
      'tls/',
      'workers/',
      'identity/',
      'store/',
      'chain/',
      'rules/',
      'telemetry/',
      'model/',
      'gateway.ts',
      'endpoint.ts',
      ...SDK,
    ],
    // `serve` starts the gateway and some commands work on a configuration; the others talk to a running one.
    // `store` looks into one, with or without a gateway.
    'workers/': ['model/', 'telemetry/'],
    'tls/': ['telemetry/'],
    'cli/': [
      'workers/',
      'admin/contract',
      'audit/',
      'config/',
      'model/',
      'rules/',
      'identity/',
      'store/',
      'state/',
      'main.ts',
      ...SDK_CLIENT,
    ],
    'demo/': ['config/', 'model/', ...SDK],
    'dev/': [...SDK],
    'endpoint.ts': ['model/', 'audit/', 'store/', 'catalog/', 'chain/', 'relay/', ...SDK],
    'gateway-targets.ts': ['model/', 'config/', 'targets/', 'catalog/', 'telemetry/'],
    'gateway.ts': [
      'gateway-targets.ts',
      'model/',
      'audit/',
      'rules/',
      'config/',
      'store/',
      'telemetry/',
      'targets/',
      'catalog/',
      'chain/',
      'endpoint.ts',
      ...SDK,
    ],
    // Moves what the version before kept in files, so it knows what each folder keeps.
    'state/': [
      'model/',
      'config/',
      'store/',
      'telemetry/',
      'targets/',
      'catalog/',
      'identity/',
      'admin/catalog/change-log.ts',
      ...SDK,
    ],
    'cluster/': [
      'model/',
      'store/',
      'telemetry/',
      'targets/',
      'tls/',
      'workers/',
      'chain/to-failure.ts',
      'gateway.ts',
      ...SDK,
    ],
    'start/': ['', ...SDK],
    'main.ts': ['start/', 'targets/recording/'],
  }),
  // The console knows the gateway by its admin contract and the SDK not at all.
  [CONSOLE]: [`${GATEWAY}admin/contract`],
}

/** Neighbours in one layer that must not know each other: who, whom, why. Paths are beginnings of regular expressions. */
const APART = [
  ['entries/server', 'client/', 'A program that only serves loads no client.'],
  ['entries/(client|connect)', 'server/', 'A program that only asks loads no server.'],
  ['exchange/legacy/', 'exchange/modern/', 'Eras meet where a connection is opened, nowhere else.'],
  ['exchange/modern/', 'exchange/legacy/', 'Eras meet where a connection is opened, nowhere else.'],
  [
    'exchange/(client/|legacy/client/|modern/client-)',
    'exchange/(server/|legacy/server/|modern/server-)',
    'Asking and answering share what lies in exchange/ itself.',
  ],
  [
    'exchange/(server/|legacy/server/|modern/server-)',
    'exchange/(client/|legacy/client/|modern/client-)',
    'Asking and answering share what lies in exchange/ itself.',
  ],
  ['transport/http/server/', 'transport/(http/client|stdio|process)/', 'Each transport stands alone.'],
  ['transport/http/client/', 'transport/(http/server|stdio|process)/', 'Each transport stands alone.'],
  ['transport/stdio/', 'transport/http/', 'Each transport stands alone.'],
  ['transport/process/', 'transport/(http|stdio)/', 'A process tree knows no protocol.'],
  [
    'server/questions/',
    'server/(definitions/|registry/|running/|server[.]ts)',
    'A question does not know what asks it.',
  ],
  [
    'server/definitions/',
    'server/(registry/|running/|server[.]ts)',
    'A definition does not know where it is registered.',
  ],
  ['server/registry/', 'server/(running/|server[.]ts)', 'The registry does not run what it holds.'],
  ['server/running/', 'server/server[.]ts', 'What runs a handler gets what it needs from the server.'],
  [
    'auth/http/',
    'auth/(discovery|grants|guard|tokens)/',
    'Requests are made in one way, whatever they are for.',
  ],
  ['auth/discovery/', 'auth/(grants|guard|tokens)/', 'Metadata is the same for both sides of OAuth.'],
  ['auth/tokens/', 'auth/(discovery|grants|guard)/', 'What is kept does not know how it was got.'],
  ['auth/grants/', 'auth/guard/', 'Getting tokens and checking them share what lies below.'],
  ['auth/guard/', 'auth/tokens/', 'A server that checks tokens keeps none.'],
]

const OF_TARGETS = '(target|operated-target|calls)[.]ts'
const APART_IN_GATEWAY = [
  [
    'targets/(connected|fetch)/',
    `targets/(connection/|listening/|${OF_TARGETS})`,
    'A connection does not know its users.',
  ],
  [
    'targets/connection/',
    `targets/(listening/|${OF_TARGETS})`,
    'A connection does not know what it is used for.',
  ],
  ['targets/listening/', `targets/${OF_TARGETS}`, 'A target tells its listeners, and they know no target.'],
  ['targets/openapi/', 'targets/(connection|fetch|listening|recording)/', 'An API is called without MCP.'],
  ['config/document/', 'config/(compile|edit|import)/', 'Reading a file does not know what it says.'],
  ['config/edit/', 'config/import/', 'An edit knows the document alone.'],
]

export default {
  forbidden: [
    ...Object.entries(LAYERS).map(([part, allowed]) => ({
      name: `${nameOf(part)} imports only what its layer allows`,
      severity: 'error',
      from: { path: startOf([part]), pathNot: TESTS },
      to: {
        path: '^packages/',
        pathNot: startOf([part, ...allowed, ...(part.startsWith(GATEWAY) ? SDK : [])]),
      },
    })),
    // The gateway may name the SDK's public types anywhere; they are erased. Code is for those who may use it.
    ...Object.entries(LAYERS)
      .filter(([part]) => part.startsWith(GATEWAY))
      .map(([part, allowed]) => ({
        name: `${nameOf(part)} runs only the SDK code that its layer allows`,
        severity: 'error',
        from: { path: startOf([part]), pathNot: TESTS },
        to: {
          path: startOf(SDK),
          pathNot: startOf([FOREIGN, ...allowed.filter((entry) => SDK.includes(entry))]),
          dependencyTypesNot: ['type-only'],
        },
      })),
    ...apart(MCP, APART),
    ...apart(GATEWAY, APART_IN_GATEWAY),
    {
      name: 'only the chain knows its links',
      comment:
        'A link reads what it needs from the exchange. It may use what another folder offers, never its link.',
      severity: 'error',
      from: { path: `^${GATEWAY}`, pathNot: String.raw`^${GATEWAY}chain/chain\.ts$|${TESTS}` },
      to: { path: String.raw`^${GATEWAY}chain/[^/]+/[^/]+-link\.ts$` },
    },
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
      comment: 'Not even of types: a type that two files share belongs in the lower one.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { circular: true },
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
    // Templates import files of each other once they are one project.
    exclude: { path: '/dist/|/create-gantry/templates/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@gantry/source', 'types', 'node', 'import', 'default'],
    },
  },
}

function apart(folder, rules) {
  return rules.map(([from, to, comment]) => ({
    name: `${from} does not know ${to}`,
    comment,
    severity: 'error',
    from: { path: `^${folder}${from}`, pathNot: TESTS },
    to: { path: `^${folder}${to}` },
  }))
}

function within(folder, layers) {
  const inside = (path) => (path.startsWith('packages/') ? path : folder + path)
  return Object.fromEntries(
    Object.entries(layers).map(([part, allowed]) => [inside(part), allowed.map(inside)]),
  )
}

function startOf(paths) {
  // Without paths nothing may match; an empty group would match everything.
  return paths.length === 0
    ? '^$'
    : `^(${paths.map((path) => path.replaceAll('.', String.raw`\.`)).join('|')})`
}

function nameOf(part) {
  return part.replace(/^packages\//, '').replace('/src/', '/')
}
