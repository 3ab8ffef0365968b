import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, connect, http, McpError } from '@gantry/mcp/client'
import type { Report } from './report.ts'

/** What has no answer by then has been lost. */
const PATIENCE = 20_000
const PAUSE = 30
const GIVEN_UP_AFTER = 60_000

let last = 0

/** A client that calls without end, and looks at every answer: whether it is there, and whether it is its own. */
export class Caller {
  readonly name: string
  readonly target: string
  readonly #url: string
  readonly #era: 'legacy' | 'modern'
  readonly #report: Report
  readonly #random: () => number
  readonly #stopping = new AbortController()
  #client: Client | undefined
  /** When the last call that was answered well began and ended. */
  #good = { began: 0, ended: 0 }
  /** Since when it is watched, and the longest time without a good answer since then. */
  #watched = { since: 0, longest: 0 }

  constructor(url: string, target: string, era: 'legacy' | 'modern', report: Report, random: () => number) {
    this.name = `${era}-${target}`
    this.target = target
    this.#url = `${url}/mcp/${target}`
    this.#era = era
    this.#report = report
    this.#random = random
  }

  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#once()
      await sleep(PAUSE)
    }
    await this.#client?.close().catch(() => {})
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** From now on it is measured how long it goes without a good answer. */
  watch(): void {
    this.#watched = { since: Date.now(), longest: 0 }
  }

  /**
   * Resolves when a call that began after this moment was answered well, with the longest time without a good answer since
   * it is watched. What fails late, as when Redis has been away for a while, so counts as well. Undefined: none was for
   * a minute.
   */
  async recovered(since: number): Promise<number | undefined> {
    while (this.#good.began < since) {
      if (Date.now() - since > GIVEN_UP_AFTER) return undefined
      await sleep(5)
    }
    return this.#watched.longest
  }

  #answered(began: number): void {
    const ended = Date.now()
    const { since, longest } = this.#watched
    this.#watched = { since, longest: Math.max(longest, ended - Math.max(since, this.#good.ended)) }
    this.#good = { began, ended }
  }

  async #once(): Promise<void> {
    const tool = this.#pick()
    const id = `${this.name}-${++last}`
    const began = Date.now()
    const late = AbortSignal.timeout(PATIENCE)
    try {
      const client = await orLate(this.#connected(), late)
      this.#report.begun(id, tool)
      const wait = Math.floor(this.#random() * 100)
      const onProgress = ({ message }: { message?: string }): void => {
        if (message !== id) this.#report.wrong(id, `heard the progress of ${message}`)
      }
      const result = await orLate(client.call(tool, { id, wait }, { onProgress }), late)
      const said = result.text()
      const wanted = tool === 'ask' ? `${id} ${this.name}` : id
      if (said === wanted) {
        this.#report.answered(id)
        this.#answered(began)
      } else this.#report.failed(id, said, isErrorResult(result) ? undefined : `got ${said}`)
    } catch (thrown) {
      if (late.aborted) this.#report.lost(id)
      else this.#report.refused(id, thrown)
      if (thrown instanceof McpError) await this.#letGo()
    }
  }

  #pick(): string {
    const chance = this.#random()
    if (chance < 0.6) return 'once'
    return chance < 0.8 ? 'again' : 'ask'
  }

  async #connected(): Promise<Client> {
    this.#client ??= await connect(http(this.#url), {
      era: this.#era,
      elicit: ({ message }) => {
        if (!message.includes(this.name)) this.#report.wrong(this.name, `was asked "${message}"`)
        return { action: 'accept', content: { name: this.name } }
      },
    })
    return this.#client
  }

  async #letGo(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    void client?.close().catch(() => {})
  }
}

function isErrorResult(result: object): boolean {
  return (result as { isError?: boolean }).isError === true
}

function orLate<T>(work: Promise<T>, late: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    late.addEventListener('abort', () => reject(new Error('no answer')), { once: true })
    work.then(resolve, reject)
  })
}
