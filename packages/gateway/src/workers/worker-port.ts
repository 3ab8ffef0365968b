import { rename, symlink } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { ServerResponse } from 'node:http'
import { parseJson } from '@gantry/mcp/foreign'
import type { Certified } from '../model/index.ts'
import { passOn, PEER, takeIn } from './pass-on.ts'
import type { Passed } from './session-router.ts'
import { socketOf, type WorkerPlace } from './worker-place.ts'

/** How long a worker that ended may take to be there again. */
const WAIT = 10_000
const PAUSE = 100
/** Whom the client certificate of a request names. Clients cannot send it: their `x-gantry-` headers are left out. */
const CERTIFIED = 'x-gantry-certified'

export interface Forwarded {
  /** Answers a request that another worker passed on. */
  handle(request: IncomingMessage, response: ServerResponse, certified: Certified | undefined): void
  /** Answers a question of another worker. */
  answer(question: string): Promise<string>
}

/**
 * The socket by which the workers of one gateway reach each other. It is in a folder that only their user can open, so
 * requests that come by it are trusted.
 */
export class WorkerPort {
  readonly place: WorkerPlace
  readonly #server: Server
  #forwarded: Forwarded | undefined

  constructor(place: WorkerPlace) {
    this.place = place
    this.#server = createServer((request, response) => this.#receive(request, response))
    // The worker in front has checked these already.
    this.#server.requestTimeout = 0
    this.#server.headersTimeout = 0
  }

  /** The name leads to the newest worker of the slot at once; the previous worker ends what it has begun. */
  async open(forwarded: Forwarded): Promise<void> {
    this.#forwarded = forwarded
    const { folder, slot } = this.place
    const own = `${socketOf(folder, slot)}.${process.pid}`
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      // Workers would share it otherwise, as they share the port.
      this.#server.listen({ path: own, exclusive: true }, resolve)
    })
    await symlink(own, `${own}.link`)
    await rename(`${own}.link`, socketOf(folder, slot))
  }

  /** The id of a session that is here. */
  mark(session: string): string {
    return `${session}~${this.place.slot}`
  }

  /**
   * Passes a request of a session on, and its answer back, as they come. If the worker was killed, the request waits
   * until it is gone: otherwise two workers could have the session.
   */
  forwardSession(slot: number, passed: Passed): void {
    const { response } = passed
    const until = Date.now() + WAIT
    const attempt = (): void =>
      this.forward(slot, passed, () => {
        if (response.destroyed) return
        if (Date.now() < until) return void setTimeout(attempt, PAUSE)
        const headers = { 'content-type': 'text/plain', 'retry-after': '1' }
        response.writeHead(503, headers).end('The worker of this session is not there. Try again.\n')
      })
    attempt()
  }

  /** The same for any request. `otherwise` is called when nobody is there. */
  forward(slot: number, { request, response, certified }: Passed, otherwise: () => void): void {
    const added = certified ? [CERTIFIED, Buffer.from(JSON.stringify(certified)).toString('base64url')] : []
    passOn(request, response, { socketPath: socketOf(this.place.folder, slot), added }, otherwise)
  }

  /** The answers of the other workers; workers that are starting or ending are left out. */
  async askOthers(question: string): Promise<string[]> {
    const { count, slot } = this.place
    const others = Array.from({ length: count }, (_, other) => other).filter((other) => other !== slot)
    const answers = await Promise.all(
      others.map((other) => this.#ask(other, question).catch(() => undefined)),
    )
    return answers.filter((answer) => answer !== undefined)
  }

  close(): void {
    this.#server.close()
  }

  async #ask(slot: number, question: string): Promise<string> {
    const asked = httpRequest({
      socketPath: socketOf(this.place.folder, slot),
      path: `/?${question}`,
      headers: { [PEER]: '-' },
      agent: false,
      timeout: 2000,
    })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject)
      asked.once('timeout', () => asked.destroy(new Error('A worker does not answer'))).end()
    })
    answer.setEncoding('utf8')
    let text = ''
    for await (const piece of answer) text += piece
    return text
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers[PEER] === '-') {
      const question = request.url?.slice('/?'.length) ?? ''
      this.#forwarded!.answer(question).then(
        (text) => response.end(text),
        () => response.writeHead(500).end(),
      )
      return
    }
    takeIn(request)
    const named = request.headers[CERTIFIED]
    delete request.headers[CERTIFIED]
    const certified =
      typeof named === 'string' ? parseJson(Buffer.from(named, 'base64url').toString()) : undefined
    this.#forwarded!.handle(request, response, certified as Certified | undefined)
  }
}
