import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Fault, FaultyVoice } from './faulty-voice.ts'
import { HonestServer, type Message } from './honest-server.ts'
import type { Random } from './random.ts'

const event = (text: string): string => `event: message\ndata: ${text}\n\n`

export interface FuzzingHttpOptions {
  random: Random
  fault: Fault
  era: 'legacy' | 'modern'
  /** The old transport: one stream for everything, and a place to post to. */
  isSse?: boolean
}

/** A server over HTTP, on a real socket, that says the right things wrongly. */
export class FuzzingHttp implements AsyncDisposable {
  readonly #options: FuzzingHttpOptions
  readonly #honest: HonestServer
  readonly #events: FaultyVoice
  readonly #plain: FaultyVoice
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  /** Streams by the request that they answer; the old transport has one for all. */
  readonly #streams = new Map<unknown, ServerResponse>()

  constructor(options: FuzzingHttpOptions) {
    this.#options = options
    this.#honest = new HonestServer(options.era)
    this.#events = new FaultyVoice(options.random, options.fault, event)
    this.#plain = new FaultyVoice(options.random, options.fault, (text) => text)
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`
  }

  /** How many connections clients still have to it. */
  connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_, count) => resolve(count)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    try {
      if (request.method === 'GET') return this.#listen(response)
      if (request.method === 'DELETE') return void response.writeHead(204).end()
      const body = Buffer.concat(await request.toArray()).toString()
      this.#post(JSON.parse(body) as Message, response)
    } catch {
      // The client went away in the middle of its request.
      response.destroy()
    }
  }

  #post(message: Message, response: ServerResponse): void {
    const { random, isSse } = this.#options
    const isGreeting = /^(initialize|server\/discover)$/.test(String(message.method))
    if (random.chance(isGreeting ? 0.02 : 0.06)) return this.#refuse(response)
    const answers = this.#honest.hear(message)
    const isRequest = message.method !== undefined && message.id !== undefined
    if (isSse || !isRequest) {
      response.writeHead(isSse && isGreeting && this.#streams.size === 0 ? 405 : 202).end()
      // An answer of the client's goes on where its question was asked.
      const stream = this.#streams.get(isSse ? 'all' : answers[0]?.id)
      if (stream) this.#speak(stream, answers, isGreeting)
      return
    }
    if (message.method === 'initialize') response.setHeader('mcp-session-id', `s${random.below(1e6)}`)
    const isStream = answers.length !== 1 || !('id' in answers[0]!) || 'method' in answers[0]
    if (isStream || random.chance(0.3)) this.#stream(message, answers, response, isGreeting)
    else this.#answer(answers, response, isGreeting)
  }

  #answer(answers: Message[], response: ServerResponse, isGreeting: boolean): void {
    const { random } = this.#options
    response.setHeader('content-type', 'application/json')
    if (isGreeting && random.chance(0.9)) return void response.end(JSON.stringify(answers[0]))
    const bytes = this.#plain.utter(answers)
    // More is promised than is sent.
    if (random.chance(0.05)) response.setHeader('content-length', bytes.length + 10)
    this.#write(response, bytes)
    this.#end(response)
  }

  #stream(request: Message, answers: Message[], response: ServerResponse, isGreeting: boolean): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const isWaiting = !answers.some((answer) => 'id' in answer && !('method' in answer))
    if (isWaiting) this.#keep(request.id, response)
    this.#speak(response, answers, isGreeting)
    if (!isWaiting) this.#end(response)
  }

  #listen(response: ServerResponse): void {
    const { random, isSse } = this.#options
    if (random.chance(isSse ? 0.05 : 0.3)) return void response.writeHead(405).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (isSse) {
      this.#keep('all', response)
      response.write('event: endpoint\ndata: /messages\n\n')
      return
    }
    response.write('retry: 5\nid: 1\ndata:\n\n')
    this.#speak(response, [
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      { jsonrpc: '2.0', id: 'q', method: 'roots/list' },
    ])
    this.#end(response)
  }

  #keep(key: unknown, response: ServerResponse): void {
    this.#streams.set(key, response)
    response.on('close', () => this.#streams.get(key) === response && this.#streams.delete(key))
  }

  #speak(stream: ServerResponse, answers: Message[], isGreeting = false): void {
    const isClean = isGreeting && this.#options.random.chance(0.9)
    const clean = (): Uint8Array =>
      Buffer.from(answers.map((answer) => event(JSON.stringify(answer))).join(''))
    this.#write(stream, isClean ? clean() : this.#events.utter(answers))
  }

  #write(response: ServerResponse, bytes: Uint8Array): void {
    const { random } = this.#options
    for (const slice of random.slices(bytes, random.chance(0.1) ? 9 : 4096)) response.write(slice)
  }

  /** In good order mostly; or cut off, drowned, or never. */
  #end(response: ServerResponse): void {
    const { random } = this.#options
    const at = random.next()
    if (at < 0.85) response.end()
    else if (at < 0.92) setTimeout(() => response.destroy(), random.below(5))
    else if (at < 0.96) response.socket?.end(random.bytes(100))
  }

  #refuse(response: ServerResponse): void {
    const { random } = this.#options
    if (random.chance(0.2)) return void response.socket?.end(random.bytes(300))
    if (random.chance(0.1)) return void response.destroy()
    const status = random.pick([302, 307, 400, 401, 403, 404, 404, 429, 500, 503])
    const headers = { location: 'https://other.example/', 'retry-after': '0' }
    response
      .writeHead(status, headers)
      .end(random.pick(['', 'no', '{"error"', random.bytes(500), '{"jsonrpc":"2.0"}']))
  }
}
