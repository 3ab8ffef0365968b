import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, http } from '@gantry/mcp/client'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'
import { Visitor } from '../support/visitor.ts'

const SERVER = fileURLToPath(new URL('../fixtures/account-server.mjs', import.meta.url))
const PEOPLE: Record<string, string> = {
  ann: 'key-of-ann-0123456789-abcdefgh',
  bob: 'key-of-bob-0123456789-abcdefgh',
}
const LINK = /http:\S+\/connect\/go\/[\w-]{22}/

const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(stateDir: string): Promise<TestGateway> {
  const auth = { apiKeys: Object.entries(PEOPLE).map(([name, key]) => ({ name, key })) }
  const credentials = { kind: 'user', env: { ACCOUNT_TOKEN: 'Your token' } }
  const mcpServers = { box: { command: process.execPath, args: [SERVER], credentials } }
  const gateway = await testGateway({ auth, mcpServers, stateDir }, { logLevel: 'warn' })
  closing.push(() => gateway.close())
  return gateway
}

async function paste({ url }: TestGateway, name: string): Promise<void> {
  const visitor = new Visitor(url)
  const page = await visitor.signIn(PEOPLE[name]!, '/connect/to/box')
  await visitor.submit(page, { 'secret ACCOUNT_TOKEN': `token-of-${name}` })
}

async function whoIs({ endpoint }: TestGateway, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${PEOPLE[name]}` }
  const client = await connect(http(endpoint, { headers }), { era: 'modern' })
  closing.push(() => client.close())
  return (await client.call('box_whoami')).text()
}

describe('accounts whose key', () => {
  it.each<[string, (file: string) => Promise<void>]>([
    ['is cut off', (file) => truncate(file, 10)],
    ['is another one', (file) => writeFile(file, `${randomBytes(32).toString('base64url')}\n`)],
    ['is gone', (file) => rm(file)],
    ['is no text', async (file) => writeFile(file, Buffer.alloc(64))],
  ])('%s are connected anew: the log says so, and nobody gets another’s', async (_, damage) => {
    const stateDir = await mkdtemp(join(tmpdir(), 'gantry-vault-'))
    closing.push(() => rm(stateDir, { recursive: true, force: true }))
    const before = await start(stateDir)
    for (const name of Object.keys(PEOPLE)) await paste(before, name)
    expect(await whoIs(before, 'ann')).toMatch(/^token-of-ann /)
    for (const close of closing.splice(1).reverse()) await close()
    expect((await readFile(join(stateDir, 'vault.key'), 'utf8')).length).toBeGreaterThan(30)
    await damage(join(stateDir, 'vault.key'))

    const lines: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
    const after = await start(stateDir)
    for (const name of Object.keys(PEOPLE)) expect(await whoIs(after, name)).toMatch(LINK)
    expect(lines.join('')).toMatch(/connect (?:their accounts )?again/)
    expect(lines.join('')).not.toMatch(/token-of-/)
    await paste(after, 'ann')
    expect(await whoIs(after, 'ann')).toMatch(/^token-of-ann /)
    expect(await whoIs(after, 'bob')).toMatch(LINK)
  })
})
