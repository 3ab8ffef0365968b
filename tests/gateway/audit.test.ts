import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, http } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { verifyTrail } from '../../packages/gateway/src/audit/index.ts'
import { expectEvents, linesIn } from '../../packages/gateway/src/audit/trail.test.support.ts'
import { createAdminClient } from '../../packages/gateway/src/admin/contract.ts'
import { adminGateway } from '../support/admin-gateway.ts'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const KEY = 'a-key-that-is-long-enough-to-be-one'
const app = new Server({
  name: 'notes',
  version: '1.0.0',
  tools: {
    publish: tool({ description: 'Publishes', run: () => 'published' }),
    remove: tool({ description: 'Removes', run: () => 'removed' }),
    hidden: tool({ description: 'Hidden', run: () => 'shown' }),
    fail: tool({
      description: 'Fails',
      run: () => {
        throw new Error('no')
      },
    }),
  },
})

let stateDir: string
let gateway: TestGateway | undefined
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'gantry-audit-'))
})
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
  await rm(stateDir, { recursive: true, force: true })
})

async function start(config: object = {}): Promise<TestGateway> {
  gateway = await testGateway(
    {
      stateDir,
      mcpServers: { notes: { module: 'notes' } },
      auth: { apiKeys: [{ name: 'ci', key: KEY, scopes: ['gantry:admin'] }] },
      audit: {},
      ...config,
    },
    { embedded: new Map([['notes', app]]) },
  )
  return gateway
}

// biome-ignore lint/suspicious/noExplicitAny: an event of any kind
async function events(of: Pick<TestGateway, 'gateway'> | undefined = gateway): Promise<any[]> {
  await of?.gateway.audit?.flush()
  return (await linesIn(stateDir)).map((line) => JSON.parse(line))
}

async function close(): Promise<void> {
  await gateway?.close()
  gateway = undefined
}

const headers = { authorization: `Bearer ${KEY}` }
const call = (name: string, args: object = {}): Promise<{ message: { result?: unknown; error?: unknown } }> =>
  modernRequest(gateway!.endpoint, 'tools/call', { name, arguments: args }, { headers })

describe('the audit trail', () => {
  it('says who called what, how it was decided and how it ended, in both eras', async () => {
    await start()
    await call('notes_publish', { id: 'secret-argument' })
    await call('notes_fail')
    await using legacy = await connect(http(gateway!.endpoint, { headers }), { era: 'legacy' })
    await legacy.call('notes_publish', { id: 'secret-argument' })
    const all = await events()
    const calls = all.filter(({ api }) => api.operation === 'tools/call')
    expect(calls.map(({ unmapped }) => unmapped.outcome)).toEqual(['ok', 'tool-error', 'ok'])
    const [modern, , older] = calls
    expect(modern).toMatchObject({
      class_uid: 6003,
      action_id: 1,
      actor: { user: { name: 'ci', type: 'key', credential_uid: 'ci' } },
      api: { service: { name: 'notes' }, version: '2026-07-28' },
      resources: [{ name: 'publish', type: 'tool' }],
      src_endpoint: { ip: '127.0.0.1' },
      status_id: 1,
    })
    expect(modern.unmapped.duration_ms).toBeGreaterThanOrEqual(0)
    expect(modern.unmapped.arguments_hash).toBe(older.unmapped.arguments_hash)
    expect(older.actor.session.uid).toHaveLength(22)
    expect(all.map(({ api }) => api.operation)).toContain('sign-in')
    expect(all.find(({ api }) => api.operation === 'target/start')).toMatchObject({ status_id: 1 })
    expect(JSON.stringify(all)).not.toContain('secret-argument')
    await close()
    expectEvents(await linesIn(stateDir))
    expect(await verifyTrail(join(stateDir, 'audit'))).toMatchObject({
      ok: true,
      chains: [{ isClosed: true }],
    })
  })

  it('names the rule and the limit that refused', async () => {
    await start({
      policy: {
        rules: [
          { name: 'nobody-removes', deny: ['tools:notes/remove'], when: 'args.id == "7"' },
          { name: 'nobody-sees', deny: ['tools:notes/hidden'] },
        ],
      },
      limits: { rates: [{ name: 'once', for: ['tools:notes/publish'], rate: '1/h' }] },
    })
    await call('notes_remove', { id: '7' })
    await call('notes_hidden')
    await call('notes_publish')
    await call('notes_publish')
    await call('notes_nothing')
    const calls = (await events()).filter(({ api }) => api.operation === 'tools/call')
    const seen = calls.map(({ actor, unmapped, disposition_id }) => [
      unmapped.outcome,
      disposition_id,
      actor.authorizations[0].policy.name,
      unmapped.limit,
    ])
    expect(seen).toEqual([
      ['denied', 2, 'nobody-removes', undefined],
      ['denied', 2, 'nobody-sees', undefined],
      ['ok', 1, 'the default', undefined],
      ['denied', 2, 'the default', 'once'],
      ['error', 1, 'the default', undefined],
    ])
    await close()
    expectEvents(await linesIn(stateDir))
  })

  it('has refused credentials, changes by the console and their authors', async () => {
    await start()
    await modernRequest(gateway!.endpoint, 'tools/list', {}, { headers: { authorization: 'Bearer wrong' } })
    await fetch(`${gateway!.url}/api/session`, { method: 'POST', headers })
    await fetch(`${gateway!.url}/api/targets/notes/actions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"action":"restart"}',
    })
    const all = await events()
    expect(all.find(({ status_code }) => status_code === '401')).toMatchObject({
      api: { operation: 'sign-in' },
      action_id: 2,
    })
    expect(all.find(({ api }) => api.operation === 'admin/targetAction')).toMatchObject({
      actor: { user: { name: 'ci' } },
      dst_endpoint: { svc_name: 'notes' },
    })
    expect(all.some(({ api, actor }) => api.operation === 'sign-in' && actor.user?.name === 'ci')).toBe(true)
    expectEvents(await linesIn(stateDir))
  })

  it('has each outage of a target once, by the gateway, with the number of failures when it is over', async () => {
    const port = await freePort()
    const restart = { minDelay: '10ms', maxDelay: '20ms' }
    await start({ mcpServers: { away: { url: `http://127.0.0.1:${port}/mcp`, restart } } })
    const failures = () => gateway!.gateway.target('away')!.main.failures
    await expect.poll(failures, { timeout: 10_000 }).toBeGreaterThan(5)
    const starts = async () => (await events()).filter(({ api }) => api.operation === 'target/start')
    const failed = {
      status_id: 2,
      actor: { user: { name: 'gateway' } },
      unmapped: { outcome: 'backing-off' },
    }
    expect(await starts()).toMatchObject([failed])
    const server = createServer(toNodeHandler(app)).listen(port, '127.0.0.1')
    try {
      await expect.poll(async () => (await starts()).length, { timeout: 10_000 }).toBe(2)
    } finally {
      server.closeAllConnections()
      server.close()
    }
    const [, back] = await starts()
    expect(back).toMatchObject({ status_id: 1, actor: { user: { name: 'gateway' } } })
    expect(back.unmapped.failures).toBeGreaterThan(5)
    expectEvents(await linesIn(stateDir))
  })

  it('names the author of a change, also when others do something at the same time', async () => {
    const auth = { apiKeys: [{ name: 'ci', key: KEY, scopes: ['gantry:admin'] }] }
    const followed = await adminGateway({ stateDir, mcpServers: {}, auth, audit: {} })
    const api = createAdminClient({ url: followed.url, token: KEY })
    const { text, revision } = await api.call('config', {})
    const others = async () => {
      for (let at = 0; at < 20; at++) await api.call('clearWire', {})
    }
    const changed = text.replace('{', '{ "names": { "separator": "." },')
    await Promise.all([api.call('saveConfig', { body: { text: changed, revision } }), others()])
    const change = () =>
      events(followed).then((all) => all.find((event) => event.api.operation === 'configuration/change'))
    await expect.poll(change).toMatchObject({ actor: { user: { name: 'ci' } } })
    expect(JSON.stringify(await change())).toContain('separator')
    await followed.close()
  })

  it('has arguments and results when that is wanted, without secrets', async () => {
    await start({ audit: { bodies: true, lists: true } })
    await call('notes_publish', {
      id: '7',
      password: 'hunter2-hunter2',
      note: 'my key is ghp_hunter20123456789abcdef0123',
    })
    await modernRequest(gateway!.endpoint, 'tools/list', {}, { headers })
    const all = await events()
    const { unmapped } = all.find(({ api }) => api.operation === 'tools/call')
    expect(unmapped.arguments).toContain('"id":"7"')
    expect(unmapped.result).toContain('published')
    expect(JSON.stringify(all)).not.toMatch(/hunter2/)
    expect(all.some(({ api }) => api.operation === 'tools/list')).toBe(true)
  })

  it('is left out where it is not configured', async () => {
    await start({ audit: undefined })
    await call('notes_publish')
    expect(gateway!.gateway.audit).toBeUndefined()
    expect(await linesIn(stateDir)).toEqual([])
  })
})

describe('a trail that is required', () => {
  it('has the decision before the call is made, and the outcome before it is answered', async () => {
    await start({ audit: { required: true } })
    await using client = await connect(http(gateway!.endpoint, { headers }))
    await client.call('notes_publish', {})
    // Nothing is flushed: what was answered is on the disk.
    const all = (await linesIn(stateDir)).map((line) => JSON.parse(line))
    const stages = all
      .filter(({ api }) => api.operation === 'tools/call')
      .map(({ unmapped }) => unmapped.stage)
    expect(stages).toEqual(['decision', 'outcome'])
  })

  it('refuses calls while it cannot be written, and makes them again afterwards', async () => {
    let calls = 0
    const counting = new Server({
      name: 'counting',
      version: '1.0.0',
      tools: { count: tool({ description: 'Counts', run: () => String(++calls) }) },
    })
    await writeFile(join(stateDir, 'audit'), '')
    gateway = await testGateway(
      { stateDir, mcpServers: { counting: { module: 'counting' } }, audit: { required: true } },
      { embedded: new Map([['counting', counting]]) },
    )
    const { message } = await modernRequest(gateway.endpoint, 'tools/call', { name: 'counting_count' })
    expect(message.error).toMatchObject({ data: { reason: 'audit', mayHaveHappened: false } })
    expect(calls).toBe(0)
    await rm(join(stateDir, 'audit'))
    await expect.poll(() => gateway!.gateway.audit!.error).toBeUndefined()
    const again = await modernRequest(gateway.endpoint, 'tools/call', { name: 'counting_count' })
    expect(again.message.result).toMatchObject({ content: [{ text: '1' }] })
  })
})
