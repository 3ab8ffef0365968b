/** What is known of the calls of one tool since the start. */
export interface ToolFigures {
  readonly target: string
  /** The target's own name. */
  readonly name: string
  readonly calls: number
  readonly errors: number
  readonly p50: number
  readonly p95: number
  /** Of all answers whose length is known. */
  readonly bytes: number
  readonly lastAt: number
}

/** Four steps for each doubling, from a tenth of a millisecond on: percentiles are right within a tenth. */
const STEPS = 96
const SHORTEST = 0.1

class ToolStats {
  readonly target: string
  readonly name: string
  calls = 0
  errors = 0
  bytes = 0
  lastAt = 0
  readonly #steps = new Uint32Array(STEPS)

  constructor(target: string, name: string) {
    this.target = target
    this.name = name
  }

  add({ at, durationMs = 0, bytes = 0 }: CountedCall, failed: boolean): void {
    this.calls++
    if (failed) this.errors++
    this.bytes += bytes
    this.lastAt = at
    const step = Math.floor(Math.log2(Math.max(durationMs / SHORTEST, 1)) * 4)
    this.#steps[Math.min(step, STEPS - 1)]!++
  }

  #percentile(share: number): number {
    let left = this.calls * share
    const step = this.#steps.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return Math.round(SHORTEST * 2 ** ((step + 0.5) / 4) * 100) / 100
  }

  figures(): ToolFigures {
    const { target, name, calls, errors, bytes, lastAt } = this
    return {
      target,
      name,
      calls,
      errors,
      p50: this.#percentile(0.5),
      p95: this.#percentile(0.95),
      bytes,
      lastAt,
    }
  }
}

interface CountedCall {
  readonly at: number
  readonly status: string
  readonly target: string | undefined
  readonly tool: string | undefined
  readonly durationMs: number | undefined
  readonly bytes: number | undefined
}

const MAX_TOOLS = 5000

/** Counts the calls of each tool, in a fixed amount of memory. */
export class ToolRegister {
  readonly #targets = new Map<string, Map<string, ToolStats>>()
  #size = 0

  add(calls: readonly CountedCall[]): void {
    for (const call of calls) {
      const { target, tool, status } = call
      if (target === undefined || tool === undefined) continue
      const known = this.#targets.get(target)?.get(tool) ?? this.#create(target, tool)
      known.add(call, status === 'error' || status === 'tool-error')
    }
  }

  #create(target: string, tool: string): ToolStats {
    if (this.#size >= MAX_TOOLS) this.#forgetOldest()
    const stats = new ToolStats(target, tool)
    const tools = this.#targets.get(target) ?? new Map<string, ToolStats>()
    this.#targets.set(target, tools.set(tool, stats))
    this.#size++
    return stats
  }

  /** A target may be asked for tools that it does not have, under ever new names. */
  #forgetOldest(): void {
    const oldest = this.#all().reduce((a, b) => (b.lastAt < a.lastAt ? b : a))
    this.#targets.get(oldest.target)!.delete(oldest.name)
    this.#size--
  }

  #all(): ToolStats[] {
    return [...this.#targets.values()].flatMap((tools) => [...tools.values()])
  }

  figures(): ToolFigures[] {
    return this.#all().map((stats) => stats.figures())
  }
}
