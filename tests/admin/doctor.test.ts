import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@gantry/mcp/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TrialCall, TrialReport } from '../../packages/gateway/src/admin/contract.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { adminGateway, type AdminGateway } from '../support/admin-gateway.ts'

const BROKEN = fileURLToPath(new URL('../fixtures/broken-server.mjs', import.meta.url))
const DUAL = fileURLToPath(new URL('../fixtures/dual-era-server.mjs', import.meta.url))
const broken = (way: string, more: object = {}): object => ({
  command: process.execPath,
  args: [BROKEN, way],
  start: 'lazy',
  timeouts: { start: 3000 },
  ...more,
})

let gateway: AdminGateway
let dir: string
const children: ChildProcess[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-doctor-'))
  await writeFile(join(dir, 'not-executable'), 'x')
  gateway = await adminGateway({
    mcpServers: {
      good: { command: process.execPath, args: [ASKING_SERVER], start: 'lazy' },
      dual: {
        command: process.execPath,
        args: [DUAL],
        env: { REFUSES: '"elicitation/create" cannot be sent while serving a request on that revision' },
        start: 'lazy',
      },
      ...Object.fromEntries(
        [
          'missing-env',
          'usage',
          'quiet-exit',
          'prints',
          'refuses',
          'future',
          'no-initialized',
          'bad-list',
        ].map((way) => [way, broken(way)]),
      ),
      ...Object.fromEntries(
        ['silent', 'serves-http', 'only-prints'].map((way) => [
          way,
          broken(way, { era: 'legacy', timeouts: { start: 800 } }),
        ]),
      ),
      ...Object.fromEntries(['dies-in-list', 'odd-tools', 'failing-tool'].map((way) => [way, broken(way)])),
      'no-command': { command: 'no-such-program-anywhere', start: 'lazy' },
      'command-line': { command: 'npx -y some-server', start: 'lazy' },
      'no-folder': { command: process.execPath, cwd: join(dir, 'nowhere'), start: 'lazy' },
      'no-permission': { command: join(dir, 'not-executable'), start: 'lazy' },
      'no-module': { command: process.execPath, args: [join(dir, 'nowhere.js')], start: 'lazy' },
      'no-server': { url: 'http://127.0.0.1:9/mcp', start: 'lazy' },
      'no-host': { url: 'http://no-such-host.invalid/mcp', start: 'lazy' },
      'no-module-export': { module: 'node:path', start: 'lazy' },
      'no-document': { openapi: { document: join(dir, 'nowhere.yaml') }, start: 'lazy' },
      insists: {
        command: process.execPath,
        args: [ASKING_SERVER],
        era: 'modern',
        env: { REVISIONS: '2025-11-25' },
        start: 'lazy',
      },
      held: { command: 'x', env: { A: '${env:GANTRY_TEST_NOT_SET}' } },
      ...(await httpTargets(['401', '403', '404', '405', '429', '500', '503', 'page', 'no-initialized'])),
    },
  })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await gateway.close()
  await rm(dir, { recursive: true, force: true })
})

async function httpTargets(ways: readonly string[]): Promise<Record<string, object>> {
  const targets: Record<string, object> = {}
  for (const way of ways) {
    const child = spawn(process.execPath, [BROKEN, 'http', way], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const url = await new Promise<string>((resolve) => {
      child.stdout!.once('data', (data) => resolve(String(data).trim()))
    })
    targets[`http-${way}`] = { url, start: 'lazy', oauth: false }
  }
  return targets
}

async function doctor(target: string, call?: TrialCall): Promise<TrialReport> {
  const { trials } = await gateway.api.call('startTrial', { body: { target, ...(call && { call }) } })
  return gateway.api.call('trial', { params: { id: trials[0]!.id }, query: { wait: 60_000 } })
}

/** The step that failed. */
const failedStep = (report: TrialReport) => report.steps.find(({ status }) => status === 'failed')

describe('a server that is well', () => {
  it('goes through every step, a call included', async () => {
    const report = await doctor('good', { tool: 'touch' })
    expect(report).toMatchObject({
      status: 'ok',
      warnings: [],
      found: { era: 'modern', counts: { tools: 6 } },
    })
    expect(report.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'spawn done',
      'probe done',
      'initialize skipped',
      'response skipped',
      'initialized skipped',
      'ready done',
      'list done',
      'call done',
    ])
  })
})

it('a server of both eras: which is used for what, also as the gateway has learned it from calls', async () => {
  const eras = async () => (await doctor('dual')).found?.eras
  expect(await eras()).not.toContain('ask_safe')
  // Not at /mcp, whose lists start all targets.
  await using client = await connect(`${gateway.url}/mcp/dual`, {
    era: 'modern',
    elicit: () => ({ action: 'decline' }),
  })
  await client.call('ask_safe')
  expect(await eras()).toContain('because the server can ask for "ask_safe" there only')
})

describe('a server that is not', () => {
  const cases: [target: string, step: string, code: string, words: RegExp][] = [
    ['no-command', 'spawn', 'command_not_found', /Install "no-such-program-anywhere"/],
    [
      'command-line',
      'spawn',
      'command_with_arguments',
      /"command": "npx" and "args": \["-y","some-server"\]/,
    ],
    ['no-folder', 'spawn', 'cwd_missing', /Correct "cwd"/],
    ['no-permission', 'spawn', 'not_executable', /chmod \+x/],
    ['no-module', 'initialize', 'module_not_found', /nowhere\.js/],
    [
      'missing-env',
      'initialize',
      'env_missing',
      /"env": \{ "BROKEN_API_TOKEN": "\$\{env:BROKEN_API_TOKEN\}" \}/,
    ],
    ['usage', 'initialize', 'usage', /"args"/],
    ['quiet-exit', 'initialize', 'exited', /by hand/],
    ['silent', 'initialize', 'no_answer', /timeouts\.start/],
    ['serves-http', 'initialize', 'serves_http', /listening on http:\/\/localhost:3000/],
    ['only-prints', 'initialize', 'not_json', /Starting the server…|stderr/],
    ['refuses', 'response', 'initialize_refused', /No license for this machine/],
    ['future', 'response', 'bad_version', /2099-01-01/],
    ['insists', 'probe', 'bad_version', /"era": "modern"/],
    ['no-initialized', 'list', 'not_initialized', /notifications\/initialized/],
    ['bad-list', 'list', 'refused', /The database is gone/],
    ['dies-in-list', 'list', 'exited', /exit code 9/],
    ['no-server', 'probe', 'refused', /Start the server/],
    ['no-host', 'probe', 'unknown_host', /Correct the host/],
    ['http-401', 'probe', 'needs_login', /Authorization/],
    ['http-403', 'initialize', 'http_status', /permissions/],
    ['http-404', 'connect', 'http_status', /\/mcp or \/sse/],
    ['http-405', 'connect', 'http_status', /transport|path/],
    ['http-429', 'probe', 'http_status', /rate|Wait/],
    ['http-500', 'initialize', 'http_status', /log/],
    ['http-503', 'probe', 'http_status', /available/],
    ['http-page', 'connect', 'web_page', /web page/],
    ['http-no-initialized', 'initialized', 'initialized_refused', /202/],
    ['no-document', 'load', 'invalid_config', /nowhere\.yaml/],
    ['no-module-export', 'load', 'invalid_config', /node:path/],
  ]
  it.each(cases)('%s: fails at %s with %s', async (target, step, code, words) => {
    const report = await doctor(target)
    expect(report.status).toBe('failed')
    expect({ step: failedStep(report)?.name, code: report.problem?.code }).toEqual({ step, code })
    const { what, meaning = '', fix = '' } = report.problem!
    expect(`${what} ${meaning} ${fix}`).toMatch(words)
    expect(failedStep(report)!.problem).toEqual(report.problem)
  })

  it('is held back by what is not set', async () => {
    expect((await doctor('held')).problem).toMatchObject({
      code: 'held_back',
      what: expect.stringContaining('GANTRY_TEST_NOT_SET'),
    })
  })

  it('is warned about when it prints to stdout and works all the same', async () => {
    const report = await doctor('prints')
    expect(report).toMatchObject({
      status: 'ok',
      warnings: [{ code: 'not_json', what: expect.stringContaining('Starting the server…') }],
    })
  })

  it('is warned about when its tools are odd', async () => {
    const { warnings, status } = await doctor('odd-tools')
    expect(status).toBe('ok')
    expect(warnings.map(({ what }) => what).join('\n')).toMatch(
      /no inputSchema[\s\S]*refuse the name "a b"[\s\S]*two tools "echo"/,
    )
  })

  it('is found out by a call', async () => {
    const report = await doctor('failing-tool', { tool: 'echo' })
    expect(failedStep(report)).toMatchObject({
      name: 'call',
      problem: { what: expect.stringContaining('out of order') },
    })
  })

  it('leaves no process behind', async () => {
    await doctor('good')
    expect(gateway.gateway.target('good')!.instances.filter(({ connection }) => connection)).toEqual([])
  })
})

describe('something pasted', () => {
  const start = (text: string) => gateway.api.call('startTrial', { body: { text } })

  it('is tried, then saved', async () => {
    const { trials } = await start(`TOKEN=super-secret-value ${process.execPath} "${ASKING_SERVER}"`)
    const [{ id, understoodAs, name }] = trials as [TrialReport]
    expect(understoodAs).toMatchObject({
      kind: 'stdio',
      source: 'a command line',
      entry: { env: { TOKEN: '••••1••••' } },
    })
    expect(name).toBe('asking')
    const report = await gateway.api.call('trial', { params: { id }, query: { wait: 20_000 } })
    expect(report).toMatchObject({ status: 'ok', found: { tools: expect.arrayContaining(['greet']) } })
    const saved = await gateway.api.call('addTarget', { body: { trial: id, name: 'asks' } })
    expect(saved).toMatchObject({ target: 'asks', effects: { added: ['asks'] } })
    expect(await gateway.readConfig()).toContain('super-secret-value')
    expect((await gateway.api.call('overview', {})).targets.map((target) => target.name)).toContain('asks')
    await gateway.api.call('removeTarget', { params: { name: 'asks' }, query: {} })
  })

  it('may hold several servers', async () => {
    const snippet = {
      mcpServers: { one: { module: 'gantry:demo' }, two: { module: 'gantry:demo' }, bad: { nothing: 1 } },
    }
    const { trials, refused } = await start(JSON.stringify(snippet))
    expect(trials.map(({ name }) => name)).toEqual(['one', 'two'])
    expect(refused).toMatchObject([{ name: 'bad', problem: { what: expect.stringContaining('neither') } }])
  })

  it('may be the description of an API', async () => {
    const petstore = fileURLToPath(
      new URL('../../packages/gateway/src/targets/openapi/fixtures/petstore.yaml', import.meta.url),
    )
    const { trials } = await start(petstore)
    const report = await gateway.api.call('trial', { params: { id: trials[0]!.id }, query: { wait: 20_000 } })
    expect(report).toMatchObject({ status: 'ok', understoodAs: { kind: 'openapi' }, name: 'petstore' })
    expect(report.found!.counts.tools).toBeGreaterThan(2)
  })

  it('is refused with a reason when it is nothing', async () => {
    const { trials, refused } = await start('npx something | tee log')
    expect(trials).toEqual([])
    expect(refused[0]!.problem.what).toContain('shell')
  })

  it('can be cancelled', async () => {
    const { trials } = await gateway.api.call('startTrial', { body: { target: 'silent' } })
    const { id } = trials[0]!
    await gateway.api.call('cancelTrial', { params: { id } })
    const report = await gateway.api.call('trial', { params: { id }, query: { wait: 10_000 } })
    expect(report.status).toBe('cancelled')
  })
})
