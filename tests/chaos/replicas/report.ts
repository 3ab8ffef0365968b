import { McpError } from '@gantry/mcp/client'

/** In milliseconds, for 99 of 100. */
const LONGEST_RECOVERY = 3_000

/** The longest time that a caller was without a good answer from a fault on, until all was as before. */
interface Recovery {
  readonly fault: string
  readonly milliseconds: number
}

export interface Faults {
  readonly lost: string[]
  readonly stuck: string[]
  readonly wrong: string[]
  readonly twice: string[]
  readonly answeredButNotDone: string[]
  readonly saidToBeUndone: string[]
}

/** What became of every call. */
export class Report {
  /** Told of everything as it happens, for those who look for a cause. */
  readonly #tell: (event: object) => void
  rounds = 0
  /** How often the servers carried each call out. */
  counts: ReadonlyMap<string, number> = new Map()
  readonly lostAnswers: string[] = []
  /** Callers that were not answered well any more. */
  readonly stuck: string[] = []
  readonly wrongAnswers: string[] = []
  readonly errors = new Map<string, number>()
  readonly recoveries: Recovery[] = []
  readonly #calls = new Map<string, { tool: string; isAnswered: boolean; isUndone: boolean }>()

  constructor(tell: (event: object) => void = () => {}) {
    this.#tell = tell
  }

  get calls(): number {
    return this.#calls.size
  }

  begun(id: string, tool: string): void {
    this.#calls.set(id, { tool, isAnswered: false, isUndone: false })
    this.#tell({ id, tool })
  }

  answered(id: string): void {
    this.#calls.get(id)!.isAnswered = true
    this.#tell({ id, answered: true })
  }

  lost(id: string): void {
    this.lostAnswers.push(id)
    this.#tell({ id, lost: true })
  }

  wrong(id: string, what: string): void {
    this.wrongAnswers.push(`${id} ${what}`)
    this.#tell({ id, wrong: what })
  }

  struck(fault: string): void {
    this.#tell({ fault })
  }

  recovered(recovery: Recovery, caller: string): void {
    this.recoveries.push(recovery)
    this.#tell({ ...recovery, caller })
  }

  /** A result that is none of what was asked for: an error of the tool, or the answer of another call. */
  failed(id: string, said: string, wrong: string | undefined): void {
    this.#tell({ id, said })
    if (wrong) this.wrong(id, wrong)
    else this.#count(said.slice(0, 60))
  }

  refused(id: string, thrown: unknown): void {
    const { code, data, message } = thrown as {
      code?: unknown
      data?: Record<string, unknown>
      message: string
    }
    this.#tell({ id, code, data, message })
    const call = this.#calls.get(id)
    if (call && data?.mayHaveHappened === false) call.isUndone = true
    const kind = thrown instanceof McpError ? String(code) : `${code} ${data?.reason ?? message.slice(0, 60)}`
    this.#count(
      data?.mayHaveHappened === undefined ? kind : `${kind} (may have happened: ${data.mayHaveHappened})`,
    )
  }

  #count(kind: string): void {
    this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1)
  }

  /** What must not be: the servers' own count against what callers were told. */
  get faults(): Faults {
    const faults: Faults = {
      lost: this.lostAnswers,
      stuck: this.stuck,
      wrong: this.wrongAnswers,
      twice: [],
      answeredButNotDone: [],
      saidToBeUndone: [],
    }
    for (const [id, { tool, isAnswered, isUndone }] of this.#calls) {
      const count = this.counts.get(id) ?? 0
      if (tool !== 'again' && count > 1) faults.twice.push(`${id} (${tool}): ${count} times`)
      if (isAnswered && count === 0) faults.answeredButNotDone.push(id)
      if (isUndone && count > 0) faults.saidToBeUndone.push(`${id} (${tool})`)
    }
    return faults
  }

  get answeredCalls(): number {
    return [...this.#calls.values()].filter(({ isAnswered }) => isAnswered).length
  }

  /** The recoveries of all rounds, and of each kind of fault: how many, median, 99 of 100, slowest. */
  describe(): string {
    const lines = [`${this.rounds} rounds, ${this.calls} calls, ${this.answeredCalls} answered as wished`]
    const kinds = ['all', ...new Set(this.recoveries.map(({ fault }) => fault))]
    for (const kind of kinds) {
      const these = this.recoveries.filter(({ fault }) => kind === 'all' || fault === kind)
      const [median, p99, slowest] = [0.5, 0.99, 1].map((share) => percentile(these, share))
      lines.push(`  ${kind}: ${these.length}, p50 ${median} ms, p99 ${p99} ms, slowest ${slowest} ms`)
    }
    for (const [kind, count] of [...this.errors].sort((one, other) => other[1] - one[1])) {
      lines.push(`  error ${kind}: ${count}`)
    }
    return lines.join('\n')
  }

  get isClean(): boolean {
    return Object.values(this.faults).every((list) => list.length === 0) && this.p99 < LONGEST_RECOVERY
  }

  get p99(): number {
    return percentile(this.recoveries, 0.99)
  }
}

function percentile(recoveries: readonly Recovery[], share: number): number {
  const times = recoveries.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other)
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
}
