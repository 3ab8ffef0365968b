import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSigned, sign } from '../../packages/gateway/src/admin/approvals/webhook-signature.ts'
import { createAdminClient, type ApprovalReport } from '../../packages/gateway/src/admin/contract.ts'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { gantry, serveFrom, type SourceProcess } from '../support/source-process.ts'

// Calls that wait for approval outlive the process, and any process that shares the store can decide or make them.

const REFUNDS = fileURLToPath(new URL('../fixtures/refund-server.mjs', import.meta.url))
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const KEYS = {
  ann: 'key-of-ann-0123456789',
  lea: 'key-of-lea-0123456789',
  ops: 'key-of-ops-0123456789',
  duty: 'key-of-duty-0123456789abcdef',
}
const SCOPES: Record<string, string[]> = { ops: ['gantry:admin'], duty: ['gantry:operator'] }
const SECRET = 'a secret of the tests, long enough'
const PATIENCE = { timeout: 60_000, interval: 50 }

let dir: string
const running: SourceProcess[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-approval-'))
})
afterEach(async () => {
  for (const process of running.splice(0)) await process.kill()
  await rm(dir, { recursive: true, force: true })
})

async function start(more: object = {}, revision = '2025-11-25'): Promise<SourceProcess> {
  const file = join(dir, 'gantry.json')
  const config = {
    stateDir: './state',
    mcpServers: { bank: { command: process.execPath, args: [REFUNDS, join(dir, 'refunds'), revision] } },
    auth: {
      apiKeys: Object.entries(KEYS).map(([name, key]) => ({
        name,
        key,
        scopes: SCOPES[name] ?? [],
      })),
    },
    policy: {
      rules: [
        {
          name: 'large refunds',
          allow: ['tools:bank/refund'],
          when: 'args.amount > 500',
          approve: { by: ['key:lea', 'operator'], within: '15m' },
        },
      ],
      ...more,
    },
  }
  if (!existsSync(file)) await writeFile(file, JSON.stringify(config))
  const process_ = await serveFrom(file)
  running.push(process_)
  return process_
}

const as = (name: keyof typeof KEYS) => ({ authorization: `Bearer ${KEYS[name]}` })
const made = (): string[] =>
  existsSync(join(dir, 'refunds')) ? readFileSync(join(dir, 'refunds'), 'utf8').trim().split('\n') : []

const callModern = (at: SourceProcess, amount: number, capabilities: object = {}) =>
  modernRequest(
    at.endpoint,
    'tools/call',
    { name: 'bank_refund', arguments: { amount } },
    { capabilities, headers: as('ann') },
  )

async function waitingAt({ url }: SourceProcess, who: keyof typeof KEYS = 'lea'): Promise<ApprovalReport> {
  const api = createAdminClient({ url, token: KEYS[who] })
  return vi.waitFor(async () => {
    const { approvals } = await api.call('approvals', {})
    expect(approvals).toHaveLength(1)
    return approvals[0]!
  }, PATIENCE)
}

describe('a legacy client', () => {
  it('waits at one process until another one, which shares the store, gets the approval', async () => {
    const [here, there] = [await start(), await start()]
    const headers = as('ann')
    const opened = await legacyRequest(
      here.endpoint,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
      { headers },
    )
    const session = opened.headers.get('mcp-session-id')!
    const params = { name: 'bank_refund', arguments: { amount: 600 }, _meta: { progressToken: 1 } }
    const answer = legacyRequest(here.endpoint, 'tools/call', params, { session, headers })
    const { id, args, caller } = await waitingAt(there)
    expect({ args, caller }).toEqual({ args: { amount: 600 }, caller: 'key:ann' })
    const api = createAdminClient({ url: there.url, token: KEYS.lea })
    await api.call('decideApproval', { params: { id }, body: { approved: true } })
    const { text } = await answer
    expect(text).toContain('refunded 600')
    expect(text).toContain('notifications/progress')
    expect(made()).toEqual(['600'])
  })
})

describe('a modern client', () => {
  it('follows a task over the death of the gateway; the approval is given on the command line', async () => {
    const first = await start()
    const { message } = await callModern(first, 700, TASKS)
    const { taskId, status } = message.result
    expect(status).toBe('working')
    await waitingAt(first)
    await first.kill()
    const second = await start()
    const env = { GANTRY_URL: second.url, GANTRY_TOKEN: KEYS.lea }
    const listed = await gantry(['approvals', 'list'], env)
    const id = /[0-9a-f]{8}-[0-9a-f]{32}/.exec(listed)![0]
    expect(listed).toContain('bank/refund')
    expect(await gantry(['approvals', 'show', id.slice(0, 12)], env)).toContain('{"amount":700}')
    expect(await gantry(['approvals', 'approve', id.slice(0, 12)], env)).toContain('approved')
    const get = () =>
      modernRequest(second.endpoint, 'tasks/get', { taskId }, { capabilities: TASKS, headers: as('ann') })
    const task = await vi.waitFor(async () => {
      const { result } = (await get()).message
      expect(result.status).toBe('completed')
      return result
    }, PATIENCE)
    expect(task.result.content[0].text).toBe('refunded 700')
    expect(made()).toEqual(['700'])
  })

  it('is sent to the page by input_required, and gets the result when another person has approved', async () => {
    const gateway = await start()
    const pages: string[] = []
    const client = new Client(
      { name: 'official', version: '1' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (params.mode === 'url') pages.push(params.url)
      return { action: 'accept' }
    })
    const requestInit = { headers: as('ann') }
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.endpoint), { requestInit }))
    const answer = client.callTool({ name: 'bank_refund', arguments: { amount: 950 } })
    const { id } = await waitingAt(gateway)
    expect(made()).toEqual([])
    const api = createAdminClient({ url: gateway.url, token: KEYS.lea })
    await api.call('decideApproval', { params: { id }, body: { approved: true } })
    expect((await answer).content).toMatchObject([{ text: 'refunded 950' }])
    expect(new Set(pages)).toEqual(new Set([`${gateway.url}/console/approvals?id=${id}`]))
    expect(made()).toEqual(['950'])
    await client.close()
  })

  it('repeats the call after the death of the gateway, and it is made once', async () => {
    const first = await start()
    const refused = await callModern(first, 800)
    expect(refused.message.result.content[0].text).toMatch(/decided at http.*Repeat the call/)
    const { id } = await waitingAt(first)
    const api = createAdminClient({ url: first.url, token: KEYS.ops })
    await api.call('decideApproval', { params: { id }, body: { approved: true } })
    await first.kill()
    const [second, third] = [await start(), await start()]
    const answers = await Promise.all([second, third, second, third].map((at) => callModern(at, 800)))
    const texts = answers.map(({ message }) => message.result.content[0].text)
    expect(texts.filter((text) => text === 'refunded 800')).toHaveLength(1)
    expect(made()).toEqual(['800'])
  })
})

it('a caller sees and decides nothing of its own, and an approver nothing else', async () => {
  const gateway = await start()
  await callModern(gateway, 900)
  const { id } = await waitingAt(gateway)
  const own = createAdminClient({ url: gateway.url, token: KEYS.ann })
  expect((await own.call('approvals', {})).approvals).toEqual([])
  const decision = { params: { id }, body: { approved: true } }
  await expect(own.call('decideApproval', decision)).rejects.toMatchObject({ status: 403 })
  await expect(own.call('approval', { params: { id } })).rejects.toMatchObject({ status: 404 })
  const lea = createAdminClient({ url: gateway.url, token: KEYS.lea })
  for (const name of ['config', 'targets'] as const) {
    await expect(lea.call(name, {})).rejects.toMatchObject({ status: 403 })
  }
  // Who one is, and nothing of the gateway.
  const session = await lea.call('session', {})
  expect([session.principal, session.role, session.gateway]).toEqual(['key:lea', undefined, undefined])
  expect(await lea.call('approval', { params: { id } })).toMatchObject({ id, mayDecide: true, isOwn: false })
  const strangers = createAdminClient({ url: gateway.url, token: 'nobody' })
  await expect(strangers.call('approvals', {})).rejects.toMatchObject({ status: 401 })
  expect(made()).toEqual([])
})

it('a service decides by a signed webhook', async () => {
  const heard: { body: string; headers: Record<string, unknown> }[] = []
  const service = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    heard.push({ body: Buffer.concat(chunks).toString(), headers: request.headers })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`
  const gateway = await start({ webhook: { url, secret: SECRET } })
  await callModern(gateway, 650)
  await expect.poll(() => heard).toHaveLength(1)
  const { body, headers } = heard[0]!
  const header = (name: string) => String(headers[name])
  const signed = {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
  }
  expect(isSigned(body, SECRET, signed)).toBe(true)
  const { approval, decideAt } = JSON.parse(body)
  expect(approval).toMatchObject({ name: 'refund', args: { amount: 650 }, caller: 'key:ann' })

  const post = async (text: string, secret = SECRET, now = Date.now()): Promise<number> => {
    const { id, timestamp, signature } = sign(text, secret, 'msg_1', now)
    const response = await fetch(decideAt, {
      method: 'POST',
      headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
      body: text,
    })
    return response.status
  }
  const decision = (by: string, id = approval.id): string =>
    JSON.stringify({ type: 'approval.decided', id, approved: true, as: by })
  expect(await post(decision('key:lea'), 'another secret of the tests')).toBe(401)
  expect(await post(decision('key:lea'), SECRET, Date.now() - 3_600_000)).toBe(401)
  expect((await fetch(decideAt, { method: 'POST', body: decision('key:lea') })).status).toBe(401)
  // What the gateway itself has signed is no decision.
  expect(await post(body)).toBe(400)
  expect(await post(decision('key:lea', 'another'))).toBe(400)
  expect(await post(decision('key:ann'))).toBe(403)
  expect(await post(decision('nobody'))).toBe(400)
  expect(await post(decision('key:duty'))).toBe(200)
  expect(await post(decision('key:lea'))).toBe(409)
  expect((await callModern(gateway, 650)).text).toContain('refunded 650')
  // The same call once more needs a decision of its own: a message that somebody has kept is none.
  expect((await callModern(gateway, 650)).text).toContain('waits for the approval')
  await expect.poll(() => heard).toHaveLength(2)
  expect(await post(decision('key:duty'))).toBe(404)
  expect((await callModern(gateway, 650)).text).toContain('waits for the approval')
  service.close()
})

it('keeps the confirmation of a caller between the rounds of both eras', async () => {
  const file = join(dir, 'gantry.json')
  await writeFile(
    file,
    JSON.stringify({
      stateDir: './state',
      mcpServers: {
        bank: { command: process.execPath, args: [REFUNDS, join(dir, 'refunds'), '2025-11-25'] },
      },
      policy: { rules: [{ name: 'sure', allow: ['tools:bank/refund'], confirm: true }] },
    }),
  )
  const gateway = await start()
  const params = { name: 'bank_refund', arguments: { amount: 5 } }
  const asked = (await modernRequest(gateway.endpoint, 'tools/call', params)).message.result
  expect(asked.resultType).toBe('input_required')
  const [key] = Object.keys(asked.inputRequests)
  const inputResponses = { [key!]: { action: 'accept', content: { confirmed: true } } }
  const { requestState } = asked
  const again = await modernRequest(gateway.endpoint, 'tools/call', {
    ...params,
    requestState,
    inputResponses,
  })
  expect(again.message.result.content[0].text).toBe('refunded 5')
  const session = await openSession(gateway.endpoint)
  const refused = await legacyRequest(gateway.endpoint, 'tools/call', params, { session })
  expect(refused.text).toContain('lacks the capability')
  expect(made()).toEqual(['5'])
})
