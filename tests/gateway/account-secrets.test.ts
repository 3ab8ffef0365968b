import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { Server, tool, ToolError } from '@gantry/mcp/server'
import { adminGateway, type AdminGateway } from '../support/admin-gateway.ts'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { RotatingWorld } from '../support/rotating-world.ts'
import { Visitor } from '../support/visitor.ts'

// Servers that spill the credential of a person in every way they have: results, errors, notifications, stderr.

const SERVER = fileURLToPath(new URL('../fixtures/account-server.mjs', import.meta.url))
const KEYS: Record<string, string> = {
  ann: 'key-of-ann-0123456789-abcdefgh',
  bob: 'key-of-bob-0123456789-abcdefgh',
}
const PASTED = ['box', 'web', 'api'] as const
const secretOf = (name: string, target: string): string => `pasted-${target}-${name}-0a1b2c3d4e5f`

const closing: (() => unknown)[] = []
const seen: Record<string, string> = {}
const results: Record<string, string> = {}
let world: RotatingWorld

beforeAll(async () => {
  world = await new RotatingWorld().start()
  const spilling = tool({
    run: (_, ctx) => {
      const said = `refused: ${ctx.exchange.headers?.authorization}`
      ctx.log('error', said)
      throw new ToolError(said)
    },
  })
  const who = tool({ run: (_, ctx) => String(ctx.exchange.headers?.authorization) })
  const web: HttpTarget = await serveHttp(new Server({ name: 'web', tools: { who, spill: spilling } }))
  const api = createServer((request, response) => {
    const said = JSON.stringify({ who: request.headers['x-key'] })
    response.writeHead(request.url === '/who' ? 200 : 400, { 'content-type': 'application/json' }).end(said)
  })
  await once(api.listen(0, '127.0.0.1'), 'listening')
  const operation = (operationId: string) => ({
    get: { operationId, responses: { 200: { description: 'ok' } } },
  })
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: `http://127.0.0.1:${(api.address() as AddressInfo).port}` }],
    paths: { '/who': operation('who'), '/spill': operation('spill') },
  }
  const gateway = await adminGateway({
    auth: { apiKeys: Object.entries(KEYS).map(([name, key]) => ({ name, key })) },
    audit: { bodies: true, lists: true },
    mcpServers: {
      box: {
        command: process.execPath,
        args: [SERVER],
        credentials: { kind: 'user', env: { ACCOUNT_TOKEN: 'Your token' } },
      },
      web: { url: web.url, credentials: { kind: 'user', headers: { Authorization: 'Your key' } } },
      api: {
        openapi: { document: await documentFile(document) },
        credentials: { kind: 'user', headers: { 'X-Key': 'Your key' } },
      },
      login: { url: world.web.url, credentials: 'user' },
    },
  })
  closing.push(
    () => world.stop(),
    () => web.close(),
    () => api.close(),
    () => gateway.close(),
  )
  await spillEverything(gateway)
  await look(gateway)
}, 120_000)
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function documentFile(document: object): Promise<string> {
  const { mkdtemp, rm } = await import('node:fs/promises')
  const { tmpdir } = await import('node:os')
  const dir = await mkdtemp(join(tmpdir(), 'gantry-api-'))
  closing.push(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, 'api.json'), JSON.stringify(document))
  return join(dir, 'api.json')
}

const FIELDS = { box: 'ACCOUNT_TOKEN', web: 'Authorization', api: 'X-Key' } as const

async function spillEverything(gateway: AdminGateway): Promise<void> {
  for (const name of PASTED) {
    const file = join(gateway.dir, `${name}.jsonl`)
    await gateway.api.call('startRecording', { params: { name }, body: { file } })
  }
  const errors: string[] = []
  for (const person of Object.keys(KEYS)) {
    for (const target of PASTED) {
      const visitor = new Visitor(gateway.url)
      const page = await visitor.signIn(KEYS[person]!, `/connect/to/${target}`)
      await visitor.submit(page, { [`secret ${FIELDS[target]}`]: secretOf(person, target) })
    }
    world.account = person
    const visitor = new Visitor(gateway.url)
    await visitor.submit(await visitor.signIn(KEYS[person]!, '/connect/to/login'))
    const headers = { authorization: `Bearer ${KEYS[person]}` }
    const client: Client = await connect(http(`${gateway.url}/mcp`, { headers }), { era: 'modern' })
    closing.push(() => client.close())
    for (const target of PASTED) {
      const tool = target === 'box' ? 'whoami' : 'who'
      results[`${person} ${target}`] = (await client.call(`${target}_${tool}`)).text()
      const spilled = await client.call(`${target}_spill`).then(
        ({ raw }) => JSON.stringify(raw),
        (error: Error) => `${error.message} ${JSON.stringify(error)}`,
      )
      errors.push(spilled)
    }
    results[`${person} login`] = (await client.call('login_who')).text()
  }
  seen.errors = errors.join('\n')
}

async function look(gateway: AdminGateway): Promise<void> {
  const answers: string[] = []
  const { records } = await gateway.api.call('wire', {})
  answers.push(JSON.stringify(records))
  for (const { id } of records) {
    answers.push(JSON.stringify(await gateway.api.call('wireDetail', { params: { id } })))
  }
  for (const name of PASTED) await gateway.api.call('stopRecording', { params: { name } })
  const recordings = PASTED.map((name) => readFile(join(gateway.dir, `${name}.jsonl`), 'utf8'))
  seen.recordings = (await Promise.all(recordings)).join('\n')
  const paths = ['overview', 'wire/export', 'log?limit=1000', 'clients', 'targets']
  for (const name of [...PASTED, 'login']) paths.push(`targets/${name}`, `targets/${name}/stderr?limit=1000`)
  for (const path of paths) {
    const response = await gateway.fetch(`/api/${path}`)
    answers.push(await response.text())
  }
  seen['exchange log, log, flight recorder and stderr'] = answers.join('\n')
  await gateway.gateway.audit!.flush()
  const { folder } = gateway.gateway.audit!.settings
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  seen.audit = files.join('\n')
}

describe('a person’s own credential', () => {
  it.each(Object.keys(KEYS))('is what each target is used with (%s)', (person) => {
    expect(results[`${person} box`]).toMatch(new RegExp(`^${secretOf(person, 'box')} `))
    expect(results[`${person} web`]).toBe(`Bearer ${secretOf(person, 'web')}`)
    expect(results[`${person} api`]).toContain(secretOf(person, 'api'))
    expect(results[`${person} login`]).toMatch(new RegExp(`^Bearer at\\.${person}\\.`))
  })

  it('was in each of the errors before it was taken out', () => {
    expect(seen.errors!.match(/\[redacted\]/g)!.length).toBeGreaterThanOrEqual(6)
  })

  it.each(['errors', 'recordings', 'exchange log, log, flight recorder and stderr', 'audit'])(
    'is not in %s',
    (place) => {
      const text = seen[place]!
      expect(text.length).toBeGreaterThan(200)
      for (const person of Object.keys(KEYS)) {
        for (const target of PASTED) expect(text).not.toContain(secretOf(person, target))
        expect(text).not.toContain(results[`${person} login`]!.slice('Bearer '.length))
        expect(text).not.toContain(`rt.${person}.`)
        expect(text).not.toContain(KEYS[person])
      }
    },
  )
})
