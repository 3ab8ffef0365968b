import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { bearer } from '../auth/guard/index.ts'
import { fileStorage, loopbackRedirect } from '../auth/index.node.ts'
import { oauth } from '../auth/index.ts'
import { appResource, appTool } from '../extensions/apps/index.ts'
import { createSkillClient, skills } from '../extensions/skills/index.ts'
import { createTaskClient, tasks, TaskService } from '../extensions/tasks/index.ts'
import { caching, limitResults, logging, rateLimit } from '../middleware/index.ts'
import { choice, choices } from '../schema/forms.ts'
import { Configuration, type Context, MemoryStore, Server } from '../server/index.ts'
import { eras, expectTool, memoryLines, runTranscript, surfaceText } from '../testing/index.ts'
import { createNodeFetch, socket, stdio } from './client.node.ts'
import { Client, connect, EraCache, http, MemoryContinuations, negotiate, sse } from './client.ts'
import { memory } from './memory.ts'
import { serveSocket, serveStdio, serveStream, toNodeHandler } from './server.node.ts'
import { HttpMeter, toFetchHandler, UnreadAnswers } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a program without types, or with a mistake in them, passes
type Bag = any

const run = () => 'x'
const make = () =>
  new Server({ name: 's', tools: { a: { run } }, resources: { r: { uri: 'r://1', text: '' } } })
const app = make()
const url = 'http://127.0.0.1:1/mcp'
const guard = { resource: 'https://mcp.example.com/mcp', issuer: 'https://auth.example.com' }
const introspection = { clientId: 'c', clientSecret: 's' }
const skill = { files: { 'SKILL.md': '---\nname: greet\ndescription: Greet\n---\nHello' } }
const client = () => new Client({ connector: memory(app) })
const server = (more: object) => new Server({ name: 's', ...more })
const ask = (question: (ctx: Context) => Promise<unknown>) =>
  eras(
    new Server({ name: 's', tools: { ask: { run: (_, ctx) => question(ctx).then(() => 'x') } } }),
    async (t) => {
      t.answers.accept().sample('x')
      await t.client.call('ask')
    },
    { revisions: ['2025-11-25'] },
  )

/** By the type of the options: every way to pass them. */
const BAGS: Record<string, Record<string, (options: Bag) => unknown>> = {
  ServerOptions: { 'new Server': server },
  'a hint for caches': { 'new Server': (o) => server({ cache: { tools: o } }) },
  SubscriptionLimits: { 'new Server': (o) => server({ subscriptions: o }) },
  ConfigurationOptions: {
    'new Configuration': (o) => new Configuration(o),
    'new Server': (o) => server({ configuration: o }),
  },
  ToolDefinition: {
    tools: (o) => server({ tools: { a: { run, ...o } } }),
    later: (o) => make().tool('b', { run, ...o }),
  },
  PromptDefinition: { prompts: (o) => server({ prompts: { a: { run, ...o } } }) },
  PromptArgumentOptions: { prompts: (o) => server({ prompts: { a: { run, arguments: { b: o } } } }) },
  ResourceDefinition: { resources: (o) => server({ resources: { a: { uri: 'a://b', text: '', ...o } } }) },
  TemplateDefinition: {
    templates: (o) => server({ templates: { a: { uriTemplate: 'a://{b}', read: run, ...o } } }),
  },
  MemoryStoreOptions: { 'new MemoryStore': (o) => new MemoryStore(o) },
  QuestionOptions: {
    elicit: (o) => ask((ctx) => ctx.elicit('Who?', { type: 'object', properties: {} }, o)),
    confirm: (o) => ask((ctx) => ctx.confirm('Sure?', o)),
    choose: (o) => ask((ctx) => ctx.choose('Which?', ['a'], o)),
    sample: (o) => ask((ctx) => ctx.sample({ messages: [], maxTokens: 1 }, o)),
    roots: (o) => ask((ctx) => ctx.roots(o)),
  },
  PageOptions: { openUrl: (o) => ask((ctx) => ctx.openUrl('Go', 'https://example.com', o)) },
  FieldOptions: { choice: (o) => choice(['a'], o), choices: (o) => choices(['a'], o) },
  ClientOptions: { 'new Client': (o) => new Client(o) },
  'elicit of a client': { 'new Client': (o) => new Client({ elicit: o }) },
  'cache of a client': { 'new Client': (o) => new Client({ cache: o }) },
  ReconnectOptions: { 'new Client': (o) => new Client({ reconnect: o }) },
  ConnectOptions: { connect: (o) => connect(url, o) },
  NegotiateOptions: { negotiate: (o) => negotiate(memory(app), o) },
  EraCacheOptions: { 'new EraCache': (o) => new EraCache(o) },
  MemoryContinuationsOptions: { 'new MemoryContinuations': (o) => new MemoryContinuations(o) },
  RequestOptions: {
    call: (o) => client().call('a', {}, o),
    tools: (o) => client().tools.a!({}, o),
    stream: async (o) => {
      for await (const _ of client().stream('a', {}, o)) void _
    },
    start: (o) => client().start('a', {}, o),
    listTools: (o) => client().listTools(o).all(),
    getPrompt: (o) => client().getPrompt('a', {}, o),
    readResource: (o) => client().readResource('r://1', o),
    complete: (o) => client().complete({ type: 'ref/prompt', name: 'a' }, { name: 'b', value: '' }, o),
    setLogLevel: (o) => client().setLogLevel('info', o),
    ping: (o) => client().ping(o),
    discover: (o) => client().discover(o),
    request: (o) => client().request('tools/list', {}, o),
    subscribe: (o) => client().subscribe('r://1', o),
    connect: (o) => client().connect(undefined, o),
  },
  HttpClientOptions: {
    http: (o) => http(url, o),
    sse: (o) => sse(url, o),
    connect: (o) => connect(url, { http: o }),
  },
  StdioOptions: {
    stdio: (o) => stdio({ command: 'x', ...o }),
    'stdio with a command': (o) => stdio('x', [], o),
    shutdown: (o) => stdio({ command: 'x', shutdown: o }),
  },
  SocketOptions: { socket: (o) => socket({ port: 1, ...o }) },
  NodeFetchOptions: { createNodeFetch: (o) => createNodeFetch(o) },
  MemoryOptions: { memory: (o) => memory(app, o) },
  HttpServiceOptions: {
    toNodeHandler: (o) => toNodeHandler(app, o),
    toFetchHandler: (o) => toFetchHandler(app, o),
  },
  SessionLimits: { toFetchHandler: (o) => toFetchHandler(app, { sessions: o }) },
  EventLogLimits: { toNodeHandler: (o) => toNodeHandler(app, { events: o }) },
  HttpLimits: {
    'new HttpMeter': (o) => new HttpMeter(o),
    toNodeHandler: (o) => toNodeHandler(app, { limits: o }),
  },
  BudgetLimits: { 'new HttpMeter': (o) => new HttpMeter({ unread: { perCaller: 1, total: 1, ...o } }) },
  UnreadLimits: {
    'new UnreadAnswers': (o) =>
      new UnreadAnswers({ stallTimeout: 1, held: { perCaller: 1, total: 1 }, ...o }),
  },
  ServeStdioOptions: { serveStdio: (o) => serveStdio(app, o) },
  ServeStreamOptions: {
    serveStream: (o) => serveStream(app, new PassThrough(), new PassThrough(), o),
    serveSocket: (o) => serveSocket(app, { port: 0 }, o),
  },
  BearerOptions: { bearer: (o) => bearer({ ...guard, ...o }) },
  IssuerOptions: { bearer: (o) => bearer({ ...guard, issuers: [{ issuer: 'https://a.example', ...o }] }) },
  IntrospectionOptions: { bearer: (o) => bearer({ ...guard, introspection: { ...introspection, ...o } }) },
  DpopOptions: {
    bearer: (o) => bearer({ ...guard, dpop: { mode: 'required', ...o } }),
    nonce: (o) => bearer({ ...guard, dpop: { mode: 'required', nonce: o } }),
  },
  OAuthOptions: { oauth: (o) => oauth(o) },
  LoopbackRedirectOptions: { loopbackRedirect: (o) => loopbackRedirect(o) },
  FileStorageOptions: { fileStorage: (o) => fileStorage({ path: 'x', ...o }) },
  RateLimitOptions: { rateLimit: (o) => rateLimit({ requests: 1, per: '1s', ...o }) },
  CachingOptions: { caching: (o) => caching({ tools: [], ttl: '1s', ...o }) },
  LimitResultsOptions: { limitResults: (o) => limitResults(o) },
  LoggingOptions: { logging: (o) => logging(o) },
  TasksOptions: { tasks: (o) => tasks(make(), o) },
  TaskServiceOptions: { 'new TaskService': (o) => new TaskService({ store: app.store, onError: run, ...o }) },
  TaskClientOptions: { createTaskClient: (o) => createTaskClient(client(), o) },
  TaskRequestOptions: { start: (o) => createTaskClient(client()).start('a', {}, o) },
  SkillsOptions: {
    skills: (o) => skills(make(), [skill], o),
    cache: (o) => skills(make(), [skill], { cache: o }),
  },
  SkillDefinition: { skills: (o) => skills(make(), [{ ...skill, ...o }]) },
  SkillClientOptions: { createSkillClient: (o) => createSkillClient(client(), o) },
  AppDefinition: {
    appResource: (o) => server({ resources: [appResource({ uri: 'ui://a', html: '', ...o })] }),
  },
  AppCsp: { appResource: (o) => appResource({ uri: 'ui://a', html: '', csp: o }) },
  AppLink: { appTool: (o) => appTool({ run }, o) },
  ErasOptions: {
    eras: (o) => eras(app, run, o),
    expectTool: (o) => expectTool(app, 'a', {}, o).toReturn('x'),
    surfaceText: (o) => surfaceText(app, o),
    runTranscript: (o) => runTranscript(memoryLines(app), '', o),
  },
}

const ROWS = Object.entries(BAGS).flatMap(([type, ways]) =>
  Object.entries(ways).map(([way, pass]) => [type, way, pass] as const),
)

// A misspelt option of a guard, a limit or credentials does nothing, and everything seems to work.
it.each(ROWS)('%s: an unknown option of %s is refused, with those that there are', async (_, __, pass) => {
  const passing = (async () => pass({ scoopes: ['notes:write'] }))()
  await expect(passing).rejects.toThrow(/has no option "(\w+\.)*scoopes"; its options are \w+/)
})

it.each<[string, () => unknown]>([
  ['era', () => new Client({ era: 'newest' as Bag })],
  ['protocolVersion', () => new Client({ protocolVersion: '2025-11-26' as Bag })],
  ['numbers', () => new Client({ numbers: 'bigint' as Bag })],
  ['logLevel', () => new Client({ logLevel: 'warn' as Bag })],
  ['logLevel', () => client().call('a', {}, { logLevel: 'warn' as Bag })],
  ['logLevel', () => client().setLogLevel('warn' as Bag)],
  ['era', () => connect(url, { era: '2026' as Bag })],
  [
    'era',
    () => negotiate(memory(app), { info: { name: 'c', version: '1' }, capabilities: {}, era: 'new' as Bag }),
  ],
  ['numbers', () => server({ numbers: 'bigint' })],
  ['cache.tools.cacheScope', () => server({ cache: { tools: { cacheScope: 'everyone' } } })],
  ['task', () => server({ tools: { a: { run, task: 'always' } } })],
  ['cacheScope', () => server({ resources: { a: { uri: 'a://b', text: '', cacheScope: 'all' } } })],
  ['cache', () => server({ cache: 5 })],
  ['subscriptions', () => server({ subscriptions: [] })],
  ['askUser', () => oauth({ askUser: 'never' as Bag })],
  ['grant', () => oauth({ grant: 'password' as Bag, clientId: 'c' })],
  ['tokenEndpointAuthMethod', () => oauth({ tokenEndpointAuthMethod: 'basic' as Bag })],
  ['dpop', () => oauth({ dpop: 'always' as Bag })],
  ['dpop', () => bearer({ ...guard, dpop: 'on' as Bag })],
  ['dpop.mode', () => bearer({ ...guard, dpop: { mode: 'on' as Bag } })],
  [
    'introspection.method',
    () => bearer({ ...guard, introspection: { ...introspection, method: 'basic' as Bag } }),
  ],
  ['visibility', () => appTool({ run }, { visibility: ['user' as Bag] })],
  ['revision', () => surfaceText(app, { revision: 'latest' as Bag })],
])('a value of %s that there is not is refused', async (option, pass) => {
  await expect((async () => pass())()).rejects.toThrow(new RegExp(`takes .* as "${option}", not `))
})

/** Joints between the parts of a program such as a gateway: made by code, for each message or connection. */
const NOT_WRITTEN_BY_HAND = [
  ...['AwaitOptions', 'FollowOptions', 'CompileOptions', 'OpenOptions', 'WireRequestOptions'],
  ...['ClientEdgeOptions', 'LegacyClientEdgeOptions', 'ModernClientEdgeOptions', 'ServerConnectionOptions'],
]
/** Parts and other names of those above. */
const SAME = ['TypedServerOptions', 'GateOptions', 'FetchHandlerOptions', 'NodeHandlerOptions']

it('every type of options that the package exports is among them', () => {
  const folder = new URL('../../', import.meta.url)
  const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
    exports: Record<string, { '@gantry/source'?: string }>
  }
  const seen = new Set<string>()
  const read = (file: URL): void => {
    const text = readFileSync(file, 'utf8')
    for (const [name] of text.matchAll(/\b[A-Z]\w*(?:Options|Limits)\b/g)) seen.add(name)
    for (const [, from] of text.matchAll(/^export \* from '(.*)'/gm)) read(new URL(from!, file))
  }
  for (const { '@gantry/source': source } of Object.values(exports)) if (source) read(new URL(source, folder))
  expect(
    [...seen].filter((name) => !BAGS[name] && ![...NOT_WRITTEN_BY_HAND, ...SAME].includes(name)),
  ).toEqual([])
  expect(seen.size).toBeGreaterThan(40)
})
