import { expect } from 'vitest'
import type { Answer, Person } from './person.ts'

const MODERN = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'
const QUIET = { keepsNothing: true, patience: 20_000 } as const

/**
 * Things of one person that only the other tries to use: a session, two calls that wait for an answer, a task and a long
 * result.
 * Whatever the other did, their owner still finds them as they were.
 */
export class Bait {
  readonly sessions: string[] = []
  readonly states: { state: string; keys: string[] }[] = []
  readonly tasks: string[] = []
  readonly results: string[] = []
  readonly #owner: Person
  #id = 1_000_000

  constructor(owner: Person) {
    this.#owner = owner
  }

  /** Lays out fresh ones, and makes them known to the other. */
  async layOut(): Promise<void> {
    const { mark } = this.#owner
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: mark, version: '1' },
    }
    const { headers } = await this.#owner.send({
      ...QUIET,
      path: '/mcp',
      body: this.#message('initialize', params),
    })
    this.sessions[0] = String(headers['mcp-session-id'])
    this.states.length = 0
    for (const name of this.#asking) {
      const { requestState, inputRequests } = await this.#modern('tools/call', { name, arguments: { mark } })
      this.states.push({ state: requestState, keys: Object.keys(inputRequests) })
    }
    const task = await this.#modern('tools/call', { name: 'new_job', arguments: { mark } })
    this.tasks[0] = task.taskId
    const { content } = await this.#modern('tools/call', { name: 'new_long', arguments: { mark } })
    this.results[0] = content.at(-1).uri
  }

  /** A modern server, and a legacy one whose call is parked in the gateway. */
  get #asking(): string[] {
    return ['new_ask', `${this.#owner.vaults[0]}_ask`]
  }

  async verify(): Promise<void> {
    const { mark } = this.#owner
    const headers = { 'mcp-session-id': this.sessions[0]!, 'mcp-protocol-version': '2025-11-25' }
    const ping = await this.#owner.send({ ...QUIET, path: '/mcp', headers, body: this.#message('ping', {}) })
    expect(ping.status, 'the session of the owner is alive').toBe(200)
    const content = { action: 'accept', content: { mark } }
    for (const [at, { state, keys }] of this.states.entries()) {
      const inputResponses = Object.fromEntries(keys.map((key) => [key, content]))
      const name = this.#asking[at]
      const rest = { requestState: state, inputResponses }
      const result = await this.#modern('tools/call', { name, arguments: { mark }, ...rest })
      expect(result.content[0].text).toBe(`${mark} got ${mark}`)
    }
    await this.#finishTask(content)
    const { contents } = await this.#modern('resources/read', { uri: this.results[0] })
    expect(contents[0].text).toContain(mark)
  }

  async #finishTask(content: object): Promise<void> {
    const { mark } = this.#owner
    const taskId = this.tasks[0]!
    const asking = await this.#modern('tasks/get', { taskId })
    expect(asking.status, 'the task of the owner waits for its owner').toBe('input_required')
    const keys = Object.keys(asking.inputRequests)
    await this.#modern('tasks/update', {
      taskId,
      inputResponses: Object.fromEntries(keys.map((key) => [key, content])),
    })
    await expect
      .poll(async () => (await this.#modern('tasks/get', { taskId })).result?.content[0].text)
      .toBe(`${mark} got ${mark}`)
  }

  // biome-ignore lint/suspicious/noExplicitAny: what comes is looked into field by field
  async #modern(method: string, params: Record<string, unknown>): Promise<any> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: { form: {} },
        extensions: { [TASKS]: {} },
      },
    }
    const headers = {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId ?? params.uri),
    }
    const body = this.#message(method, { ...params, _meta })
    const answer = await this.#owner.send({ ...QUIET, path: '/mcp', headers, body })
    return resultOf(answer)
  }

  #message(method: string, params: object): object {
    return { jsonrpc: '2.0', id: this.#id++, method, params }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what comes is looked into field by field
function resultOf({ text, status }: Answer): any {
  const line = text.startsWith('{')
    ? text
    : (text.split('\n').findLast((one) => one.startsWith('data: {')) ?? '')
  const message = line === '' ? undefined : JSON.parse(line.replace(/^data: /, ''))
  expect(message?.result, `an answer to the owner (${status}): ${text.slice(0, 500)}`).toBeDefined()
  return message.result
}
