import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { expectEvents, linesIn } from '../../packages/gateway/src/audit/trail.test.support.ts'
import { companyGateway } from '../support/company.ts'
import { signIn } from '../support/sign-in-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'
import { Visitor } from '../support/visitor.ts'

const SERVER = fileURLToPath(new URL('../fixtures/account-server.mjs', import.meta.url))
const KEY = 'key-of-ann-0123456789-abcdefgh'
const SECRET = 'token-of-ann-1'
const box = {
  command: process.execPath,
  args: [SERVER],
  credentials: { kind: 'user', env: { ACCOUNT_TOKEN: 'Your token' } },
}

let stateDir: string
let gateway: TestGateway | undefined
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'gantry-consents-'))
})
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
  await rm(stateDir, { recursive: true, force: true })
})

/** What the trail says of consents. */
async function consents(): Promise<Record<string, unknown>[]> {
  await gateway!.gateway.audit!.flush()
  const lines = await linesIn(stateDir)
  await expectEvents(lines)
  expect(lines.join('\n')).not.toContain(SECRET)
  const all = lines.map((line) => JSON.parse(line) as { api: { operation: string } })
  return all.filter(({ api }) => api.operation === 'consent')
}

it('the audit trail has the accounts that people connect and disconnect', async () => {
  gateway = await testGateway({
    stateDir,
    audit: {},
    auth: { apiKeys: [{ name: 'ann', key: KEY }] },
    mcpServers: { box },
  })
  const visitor = new Visitor(gateway.url)
  const page = await visitor.signIn(KEY, '/connect/to/box')
  await visitor.submit(page, { 'secret ACCOUNT_TOKEN': SECRET })
  await visitor.submit(await visitor.signIn(KEY), {}, '/connect/off/box')
  const found = await consents()
  expect(found).toMatchObject([
    { activity_id: 1, actor: { user: { name: 'ann' } }, unmapped: { outcome: 'given' } },
    { activity_id: 4, actor: { user: { name: 'ann' } }, unmapped: { outcome: 'withdrawn' } },
  ])
  for (const one of found) expect(JSON.stringify(one)).toContain('"box"')
})

it('the audit trail has the clients that people let act for them', async () => {
  const company = await companyGateway({ stateDir, audit: {}, mcpServers: { box } })
  gateway = company
  const { status, clientId } = await signIn(company)
  expect(status).toBe(200)
  const [given, ...others] = await consents()
  expect(others).toEqual([])
  expect(given).toMatchObject({
    activity_id: 1,
    actor: { user: { name: expect.stringMatching(/ann|person/) } },
    unmapped: { outcome: 'given' },
  })
  expect(JSON.stringify(given)).toContain(clientId)
})
