import { createServer, type ServerResponse } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { Server, tool } from '@gantry/mcp/server'
import { answersTo, INTEGERS, NUMBERS } from '../fixtures/exact-server.mjs'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const SERVER = fileURLToPath(new URL('../fixtures/exact-server.mjs', import.meta.url))
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type Era = 'legacy' | 'modern'

/** The same server over HTTP: an event stream where there is more than one message. */
async function overHttp(era: Era): Promise<object> {
  let asking: ServerResponse | undefined
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const answers = answersTo(body, era)
    const isAnswer = body.includes('"id":"ask:')
    if (answers.length === 0 || isAnswer) response.writeHead(202).end()
    if (isAnswer) return void asking?.end(`data: ${answers[0]}\n\n`)
    if (answers.length === 0) return
    const asks = answers[0]!.includes('"id":"ask:')
    if (answers.length === 1 && !asks) {
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(answers[0])
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const answer of answers) response.write(`data: ${answer}\n\n`)
    if (asks) asking = response
    else response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
}

async function gatewayTo(target: object, options = {}): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers: { x: target } }, options)
  closing.push(() => gateway.close())
  return gateway
}

/** A client that writes and reads text: what a double would lose stays visible. */
interface TextClient {
  send(method: string, params: string, meta?: string): Promise<string>
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const FACTS =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},' +
  '"io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},' +
  '"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}'

/** What a client answers, by the method that asks. */
const ANSWERS: Record<string, string> = {
  'elicitation/create': `{"action":"accept","content":{${INTEGERS}}}`,
  'sampling/createMessage': `{"role":"assistant","model":"m","content":{"type":"text","text":"x","_meta":{${INTEGERS}}}}`,
}

function modern({ endpoint }: TestGateway): TextClient {
  return {
    async send(method, params, meta = '') {
      const { name, uri, taskId } = JSON.parse(`{${params}}`)
      const headers = {
        ...HEADERS,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...((name ?? uri ?? taskId) !== undefined && { 'mcp-name': name ?? uri ?? taskId }),
      }
      const members = params === '' ? '' : `${params},`
      const body = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":{${members}"_meta":{${FACTS}${meta}}}}`
      return (await fetch(endpoint, { method: 'POST', headers, body })).text()
    },
  }
}

async function legacy({ endpoint }: TestGateway): Promise<TextClient> {
  const post = (body: string, session?: string): Promise<Response> => {
    const own =
      session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    return fetch(endpoint, { method: 'POST', headers: { ...HEADERS, ...own }, body })
  }
  const facts =
    '"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"t","version":"1"}'
  const opened = await post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{${facts}}}`)
  const session = opened.headers.get('mcp-session-id')!
  await opened.text()
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}', session)
  return {
    async send(method, params, meta = '') {
      const members = [params, meta === '' ? '' : `"_meta":{${meta.slice(1)}}`].filter((part) => part !== '')
      const response = await post(
        `{"jsonrpc":"2.0","id":7,"method":"${method}","params":{${members.join(',')}}}`,
        session,
      )
      let text = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        const [, question, asked] = /"id":("[^"]*"|\d+),"method":"([a-z]+\/create\w*)"/.exec(text) ?? []
        if (question === undefined || text.includes('"result"')) continue
        await post(`{"jsonrpc":"2.0","id":${question},"result":${ANSWERS[asked!]}}`, session)
      }
      return text
    },
  }
}

const CELLS = (['legacy', 'modern'] as const).flatMap((client) =>
  (['legacy', 'modern'] as const).flatMap((server) =>
    (['stdio', 'http'] as const).map((wire) => [client, server, wire] as const),
  ),
)

/** As it stands inside a string. */
const TOLD = JSON.stringify(NUMBERS).slice(1, -1)

describe.each(CELLS)('a %s client and a %s server on %s', (clientEra, serverEra, wire) => {
  async function open(): Promise<TextClient> {
    const target =
      wire === 'stdio' ? { command: process.execPath, args: [SERVER, serverEra] } : await overHttp(serverEra)
    const gateway = await gatewayTo(target)
    return clientEra === 'modern' ? modern(gateway) : legacy(gateway)
  }

  it('see the numbers that the other wrote', async () => {
    const client = await open()
    const meta = `,"progressToken":9007199254740993.0,"x/mine":{${NUMBERS}}`
    const called = await client.send('tools/call', `"name":"x_echo","arguments":{${NUMBERS}}`, meta)
    expect(called).toContain(`\\"arguments\\":{${TOLD}}`)
    expect(called).toContain(`\\"x/mine\\":{${TOLD}}`)
    expect(called).toContain(`"structuredContent":{${NUMBERS}}`)
    expect(called).toContain(`"x/y":{${NUMBERS}}`)
    expect(called).toMatch(/"progressToken":9007199254740993\.0[,}]/)
    expect(called).toMatch(/"progress":1\.0,"total":9007199254740993[,}]/)

    const linked = await client.send('tools/call', '"name":"x_link","arguments":{}')
    expect(linked).toContain('"uri":"x+x://a"')
    expect(linked).toContain('"size":1.0')
    expect(linked).toContain(`"structuredContent":{${NUMBERS}}`)

    expect(await client.send('resources/read', '"uri":"x+x://a"')).toContain(`"_meta":{${NUMBERS}}`)
    expect(await client.send('prompts/get', '"name":"x_say"')).toContain(NUMBERS)
    const listed = await client.send('tools/list', '')
    expect(listed).toContain('"maximum":9223372036854775807,"default":1.0')
    expect(await client.send('resources/list', '')).toContain('"size":1.0')
    expect(
      await client.send(
        'completion/complete',
        '"ref":{"type":"ref/prompt","name":"x_say"},"argument":{"name":"a","value":""}',
      ),
    ).toContain(`"data":{${NUMBERS}}`)
  })

  it.each([
    ['ask', 'elicitation/create', '"maximum":9223372036854775807', `"content":{${INTEGERS}}`],
    [
      'sample',
      'sampling/createMessage',
      `"temperature":1.0,"metadata":{${INTEGERS}}`,
      `"_meta":{${INTEGERS}}`,
    ],
  ])('see the numbers of questions and answers (%s)', async (tool, method, inQuestion, inAnswer) => {
    const client = await open()
    let asked = await client.send('tools/call', `"name":"x_${tool}","arguments":{}`)
    expect(asked).toContain(inQuestion)
    if (clientEra === 'modern') {
      const state = /"requestState":"([^"]*)"/.exec(asked)![1]
      const key = /"inputRequests":\{"([^"]*)"/.exec(asked)![1]
      const answer = `"inputResponses":{"${key}":${ANSWERS[method]}}`
      asked = await client.send(
        'tools/call',
        `"name":"x_${tool}","arguments":{},${answer},"requestState":"${state}"`,
      )
    }
    expect(asked).toContain(JSON.stringify(inAnswer).slice(1, -1))
  })

  it('see the numbers of log messages, errors and tasks', async () => {
    const client = await open()
    if (clientEra === 'legacy') await client.send('logging/setLevel', '"level":"debug"')
    const failed = await client.send('tools/call', '"name":"x_fail","arguments":{}')
    expect(failed).toMatch(new RegExp(`"level":"error","data":\\{${NUMBERS}\\}`))
    expect(failed).toContain(`"code":-32050,"message":"No","data":{${NUMBERS}}`)
    let text = await client.send('tools/call', '"name":"x_long","arguments":{}')
    if (clientEra === 'modern') {
      const id = /"taskId":"([^"]*)"/.exec(text)![1]
      await expect
        .poll(async () => {
          text = await client.send('tasks/get', `"taskId":"${id}"`)
          return text
        })
        .toContain('"status":"completed"')
    }
    expect(text).toContain(`"structuredContent":{${INTEGERS}}`)
  })
})

describe.each(['legacy', 'modern'] as const)('what is looked into on its way to a %s client', (clientEra) => {
  it.each(['legacy', 'modern'] as const)('keeps its numbers, from a %s server', async (serverEra) => {
    const gateway = await testGateway({
      mcpServers: { x: { command: process.execPath, args: [SERVER, serverEra] } },
      results: [{ mask: ['email', { pattern: 'x\\+x' }], drop: [{ path: 'd' }], maxTokens: 8000 }],
      policy: { rules: [{ deny: ['x/*'], when: 'has(args.n) && args.n == 7' }] },
      views: {
        own: {
          use: ['x/*'],
          tools: { 'x/echo': { name: 'say', parameters: { n: { rename: 'count' }, k: { fixed: 3 } } } },
        },
      },
    })
    closing.push(() => gateway.close())
    const view = { ...gateway, endpoint: `${gateway.endpoint}/own` }
    const client = clientEra === 'modern' ? modern(view) : await legacy(view)
    const renamed = NUMBERS.replace('"n"', '"count"')
    const called = await client.send('tools/call', `"name":"say","arguments":{${renamed}}`)
    // The value at the path that is dropped is hidden in texts as well.
    const kept = '"n":9007199254740993,"f":1.0,"e":1E400,"z":-0'
    expect(called).toContain(`\\"arguments\\":{${JSON.stringify(kept).slice(1, -1)}`)
    expect(called).toContain(`"structuredContent":{${kept}}`)
  })
})

describe('a server in the same process', () => {
  const open = async (numbers: 'exact' | 'rounded') => {
    const app = new Server({
      name: 'in',
      numbers,
      tools: {
        add: tool({
          input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
          run: ({ n }: { n: number | bigint }) => ({
            type: typeof n,
            n,
            next: typeof n === 'bigint' ? n + 1n : n,
          }),
        }),
      },
    })
    const gateway = await gatewayTo({ module: 'in' }, { embedded: new Map([['in', app]]) })
    return modern(gateway).send('tools/call', '"name":"x_add","arguments":{"n":9007199254740993}')
  }

  it('gets and gives exact integers on request', async () => {
    expect(await open('exact')).toContain(
      '"structuredContent":{"type":"bigint","n":9007199254740993,"next":9007199254740994}',
    )
  })

  it('gets doubles otherwise', async () => {
    expect(await open('rounded')).toContain('"structuredContent":{"type":"number","n":9007199254740992')
  })
})

describe('an API', () => {
  it('gets the numbers of the arguments, and its own are passed on', async () => {
    const bodies: string[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      bodies.push(`${request.url} ${body}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{${NUMBERS}}`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(
      () => server.closeAllConnections(),
      () => server.close(),
    )
    const number = { type: 'number' }
    const properties = { n: { type: 'integer', format: 'int64' }, f: number, d: number }
    const json = { 'application/json': { schema: { type: 'object', properties } } }
    const document = {
      openapi: '3.1.0',
      info: { title: 'api', version: '1' },
      servers: [{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }],
      paths: {
        '/add': {
          post: {
            operationId: 'add',
            parameters: [{ name: 'at', in: 'query', schema: { type: 'integer' } }],
            requestBody: { content: json },
            responses: { 200: { description: 'ok', content: json } },
          },
        },
      },
    }
    const dir = await mkdtemp(join(tmpdir(), 'gantry-exact-'))
    closing.push(() => rm(dir, { recursive: true, force: true }))
    const file = join(dir, 'api.json')
    await writeFile(file, JSON.stringify(document))
    const client = modern(await gatewayTo({ openapi: { document: file } }))
    const args = '"n":9007199254740993,"f":1.0,"d":0.10,"at":9007199254740995'
    const called = await client.send('tools/call', `"name":"x_add","arguments":{${args}}`)
    expect(called).toContain(`"structuredContent":{${NUMBERS}}`)
    expect(bodies).toEqual(['/add?at=9007199254740995 {"n":9007199254740993,"f":1.0,"d":0.10}'])
  })
})

describe('what is written down', () => {
  const CALL = `"name":"x_echo","arguments":{${NUMBERS}}`

  it('is replayed as it was recorded', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gantry-exact-'))
    closing.push(() => rm(dir, { recursive: true, force: true }))
    const file = join(dir, 'x.jsonl')
    const first = await gatewayTo({ command: process.execPath, args: [SERVER, 'legacy'] })
    const target = first.gateway.target('x')!
    await target.record(file)
    await first.gateway.catalog.of(target)!.fetchAnew()
    await modern(first).send('tools/call', CALL)
    await target.calls.stopRecording()
    const second = modern(await gatewayTo({ replay: file }))
    expect(await second.send('tools/call', CALL)).toContain(`"structuredContent":{${NUMBERS}}`)
    expect(await second.send('tools/call', CALL.replace('993', '992'))).toContain('holds no tools/call')
  })

  it('is listed by the next run, before the target is started', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'gantry-exact-'))
    closing.push(() => rm(stateDir, { recursive: true, force: true }))
    const x = { command: process.execPath, args: [SERVER, 'legacy'], start: 'lazy' }
    for (const state of ['ready', 'idle']) {
      const gateway = await testGateway({ mcpServers: { x }, stateDir })
      const listed = await modern(gateway).send('tools/list', '')
      expect(listed).toContain('"maximum":9223372036854775807,"default":1.0')
      expect(gateway.gateway.target('x')!.state).toBe(state)
      await gateway.close()
    }
  })

  it('is what the console sees, and sends again', async () => {
    const gateway = await gatewayTo({ command: process.execPath, args: [SERVER, 'modern'] })
    const stop = gateway.gateway.exchanges.watch(() => {})
    closing.push(stop)
    await modern(gateway).send('tools/call', CALL)
    const call = (path: string, body?: string): Promise<Response> =>
      fetch(`${gateway.url}/api/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${gateway.adminToken}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      })
    const { id } = gateway.gateway.exchanges.recent(1)[0]!
    const detail = await (await call(`wire/${id}`)).text()
    expect(detail).toContain(`"arguments":{${NUMBERS}}`)
    expect(detail).toContain(`"structuredContent":{${NUMBERS}}`)
    const started = await call(
      'playground/calls',
      `{"method":"tools/call","params":{${CALL}},"client":{"era":"legacy","capabilities":{}}}`,
    )
    const run = ((await started.json()) as { id: string }).id
    const events = await (await call(`playground/calls/${run}/events`)).text()
    expect(events).toContain(`"structuredContent":{${NUMBERS}}`)
    expect(events).toContain(`\\"arguments\\":{${TOLD}}`)
  })
})
