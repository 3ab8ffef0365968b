import { countOf, type AdminApi, type TargetCard } from '../../admin/contract.ts'
import type { RunningGateway } from '../../main.ts'
import type { CliStream } from '../cli-io.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { OnceLines } from './once-lines.ts'
import { reasonIn } from './reason-in.ts'

export interface DevSessionOptions {
  readonly running: RunningGateway
  readonly name: string
  /** The file as its author calls it. */
  readonly shown: string
  readonly cwd: string
  readonly stream: CliStream
  readonly paint: Paint
}

/** Calls under way may end before their server is replaced, within this time. */
const GRACE = 2000

export class DevSession {
  readonly #options: DevSessionOptions
  readonly #api: AdminApi
  readonly #stderr: OnceLines
  #work: Promise<void> = Promise.resolve()
  #names: ReadonlyMap<string, string> | undefined
  /** While it is being replaced, its end is no news. */
  #isReloading = false

  constructor(options: DevSessionOptions) {
    this.#options = options
    this.#api = options.running.api
    const { gateway } = options.running
    this.#stderr = new OnceLines((line) => this.#say(options.paint.dim(`│ ${plainText(line)}`)))
    gateway.observers.add({
      stderr: (_, line) => this.#stderr.add(line),
      targetChanged: (target) => {
        const { reason } = target.instances.find(({ key }) => key === '') ?? {}
        if (!this.#isReloading && target.state === 'idle' && reason !== undefined) this.#ended(reason)
      },
    })
  }

  start(): Promise<void> {
    return this.#enqueue('start')
  }

  reload(files: readonly string[]): Promise<void> {
    const [first, ...more] = files
    const others = more.length === 0 ? '' : ` and ${countOf(more.length, 'other')}`
    this.#say(`${this.#options.paint.cyan('↻')} ${first}${others} changed`)
    return this.#enqueue('restart')
  }

  /** Restarts run one after another, so that a change that comes while the server starts is not lost. */
  #enqueue(action: 'start' | 'restart'): Promise<void> {
    this.#work = this.#work
      .then(() => this.#run(action))
      .catch((error: unknown) => this.#failed(String(error)))
    return this.#work
  }

  async #run(action: 'start' | 'restart'): Promise<void> {
    const { running, name } = this.#options
    const began = Date.now()
    this.#isReloading = true
    try {
      if (action === 'restart') await running.gateway.drain(GRACE)
      this.#stderr.reset()
      await this.#api.call('targetAction', { params: { name }, body: { action } })
      // Its lists are asked for by themselves; this waits for them.
      const card = await this.#api.call('targetAction', { params: { name }, body: { action: 'refresh' } })
      if (card.problem || card.state !== 'ready') this.#failed(card.problem?.what ?? card.state, card.problem)
      else await this.#ready(card, Date.now() - began)
    } finally {
      this.#isReloading = false
    }
  }

  async #ready({ counts, era, revision }: TargetCard, duration: number): Promise<void> {
    const { shown, paint } = this.#options
    const offers = [
      countOf(counts.tools, 'tool'),
      counts.prompts > 0 && countOf(counts.prompts, 'prompt'),
      counts.resources > 0 && countOf(counts.resources, 'resource'),
    ]
    const facts = [...offers.filter(Boolean), `${era} ${revision}`].join(', ')
    this.#say(`${paint.green('✓')} ${shown} is ready: ${facts} ${paint.dim(`${duration} ms`)}`)
    await this.#sayChanges()
  }

  async #sayChanges(): Promise<void> {
    const { entries } = await this.#api.call('catalog', {})
    const now = new Map(
      entries.map((entry) => [entry.key, JSON.stringify([entry.kind, entry.description, entry.tokens])]),
    )
    const before = this.#names
    this.#names = now
    if (!before) return
    const { paint } = this.#options
    const lines = [
      ['+', paint.green, [...now.keys()].filter((key) => !before.has(key))],
      ['-', paint.red, [...before.keys()].filter((key) => !now.has(key))],
      [
        '~',
        paint.yellow,
        [...now].filter(([key, what]) => before.has(key) && before.get(key) !== what).map(([key]) => key),
      ],
    ] as const
    for (const [mark, colour, keys] of lines) {
      if (keys.length > 0) this.#say(`  ${colour(mark)} ${keys.map((key) => plainText(key)).join(', ')}`)
    }
  }

  #failed(what: string, more: { meaning?: string; fix?: string } = {}): void {
    const { shown, paint, cwd } = this.#options
    const reason = reasonIn(this.#stderr.lines, cwd)
    this.#say(`${paint.red('✗')} ${shown} does not run: ${plainText(reason ?? what)}`)
    // The program's own words are better than any guess at them.
    if (reason === undefined && more.meaning !== undefined) this.#say(`  ${plainText(more.meaning)}`)
    if (reason === undefined && more.fix !== undefined)
      this.#say(`  ${paint.cyan('fix')} ${plainText(more.fix)}`)
    this.#say(paint.dim('  Clients stay connected; the next change starts it again.'))
  }

  #ended(reason: string): void {
    const { shown, paint, cwd } = this.#options
    this.#say(`${paint.red('✗')} ${shown} ended: ${plainText(reasonIn(this.#stderr.lines, cwd) ?? reason)}`)
    this.#say(paint.dim('  The next call or change starts it again.'))
  }

  #say(text: string): void {
    this.#options.stream.write(`${text}\n`)
  }
}
