import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { Bait } from './bait.ts'
import { Holdings } from './holdings.ts'

/** What one request brought back, as far as it was read. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface Sending {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  /** Milliseconds after which the person stops waiting; the answer stays open and is still checked. */
  readonly patience?: number
  /** Handles in the answer are not for random use. */
  readonly keepsNothing?: boolean
  /** Milliseconds after which the person hangs up. */
  readonly hangUpAfter?: number
}

const MOST_OPEN = 150
const MOST_LEAKS = 20

/** One of the two callers: what they send, what they hold, and a check of every byte that they receive. */
export class Person {
  readonly name: string
  readonly key: string
  /** Stands in everything that this person says and owns, and in nothing else. */
  readonly mark: string
  readonly page: string
  /** Targets that only this person may use: one of each era. */
  readonly vaults: readonly [string, string]
  /** The endpoint that only this person may use. */
  readonly view: string
  readonly holdings: Holdings = new Holdings()
  readonly bait: Bait = new Bait(this)
  /** What this person must never receive, and where it was found if that happened. */
  readonly leaks: Map<string, string> = new Map()
  /** Names that this person may read only where the person wrote them into the request. */
  secretNames: readonly string[] = []
  forbidden: readonly string[] = []
  url = ''
  requests = 0
  statuses = new Map<number, number>()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 })
  readonly #open = new Set<ClientRequest>()
  #saidToStreams = ''

  constructor({ name, vaults, page }: { name: string; vaults: readonly [string, string]; page: string }) {
    this.name = name
    this.vaults = vaults
    this.page = page
    this.view = `desk-of-${name}`
    this.key = `key-of-${name}-0123456789abcdef`
    this.mark = `private-of-${name}`
  }

  send(sending: Sending): Promise<Answer> {
    const { method = 'POST', path, headers = {}, body, patience = 2_000, hangUpAfter } = sending
    this.requests++
    const sent = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
    const said = `${method} ${path} ${JSON.stringify(headers)} ${sent}`
    // Answers to what is sent to the older transport come back on its stream.
    if (path.includes('gantry-sse=')) this.#saidToStreams = (this.#saidToStreams + said).slice(-100_000)
    return new Promise((resolve) => {
      let text = ''
      let response: IncomingMessage | undefined
      const timers: NodeJS.Timeout[] = []
      let isFinished = false
      const finish = (): void => {
        if (isFinished) return
        isFinished = true
        for (const timer of timers) clearTimeout(timer)
        resolve({ status: response?.statusCode ?? 0, headers: response?.headers ?? {}, text })
      }
      const outgoing = request(`${this.url}${path}`, {
        method,
        agent: this.#agent,
        headers: {
          authorization: `Bearer ${this.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      })
      this.#remember(outgoing)
      timers.push(setTimeout(finish, patience))
      if (hangUpAfter !== undefined) timers.push(setTimeout(() => outgoing.destroy(), hangUpAfter))
      outgoing.on('response', (incoming) => {
        response = incoming
        this.#count(incoming.statusCode ?? 0)
        this.#check(JSON.stringify(incoming.headers), said)
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk: string) => {
          text += chunk
          this.#check(text.slice(-chunk.length - 200), said)
          if (!sending.keepsNothing) this.holdings.read(chunk, headers['mcp-session-id'])
        })
        incoming.on('end', finish)
        incoming.on('error', finish)
      })
      outgoing.on('error', finish)
      outgoing.on('close', () => {
        this.#open.delete(outgoing)
        if (!response) this.#count(0)
      })
      outgoing.end(sent)
    })
  }

  /** Also when nobody waits for the answer any more: a busy machine is no refusal. */
  #count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }

  /** Old streams are ended, so that their number stays small. */
  #remember(outgoing: ClientRequest): void {
    this.#open.add(outgoing)
    if (this.#open.size <= MOST_OPEN) return
    const [oldest] = this.#open
    this.#open.delete(oldest!)
    oldest!.destroy()
  }

  #check(received: string, said: string): void {
    for (const text of this.forbidden) if (received.includes(text)) this.#leak(text, received, said)
    for (const name of this.secretNames) {
      const own = said.startsWith('GET ') ? said + this.#saidToStreams : said
      if (received.includes(name) && !own.includes(name)) this.#leak(name, received, said)
    }
  }

  /** One report for each thing and method is enough to find the cause. */
  #leak(what: string, received: string, said: string): void {
    const key = `${what} ${/"method":"([^"]+)"/.exec(said)?.[1] ?? said.split(' ', 2).join(' ')}`
    if (this.leaks.has(key) || this.leaks.size >= MOST_LEAKS) return
    const at = Math.max(0, received.indexOf(what) - 200)
    this.leaks.set(key, `received ${received.slice(at, at + 400)} after ${said.slice(0, 400)}`)
  }

  close(): void {
    for (const outgoing of this.#open) outgoing.destroy()
    this.#agent.destroy()
  }
}
