import { jsonReader } from '@gantry/mcp/exchange'
import { CallCounts, type CountedCall, type KeptCounts } from './call-counts.ts'

/** What a call is counted under. Undefined where nothing is known, or where too many were seen. */
export interface UsageKey {
  readonly target: string
  /** The target's own name; undefined stands for all tools that had no room. */
  readonly tool?: string | undefined
  readonly client?: string | undefined
  readonly principal?: string | undefined
}

export interface Usage extends UsageKey {
  readonly counts: CallCounts
}

const readJson = jsonReader('rounded')

/** Callers choose names of tools and clients, so there is an end to what one span of time counts apart. */
const MOST_KEYS = 2_000
const MOST_TOOLS = 4_000

/** The calls of one span of time. */
export class UsageSlot {
  readonly start: number
  /** Whether there are calls that were not written yet. */
  isChanged = false
  readonly #usages = new Map<string, Usage>()

  constructor(start: number) {
    this.start = start
  }

  add(key: UsageKey, call: CountedCall): void {
    this.isChanged = true
    this.#countsFor(key).add(call)
  }

  #countsFor(key: UsageKey): CallCounts {
    const { target, tool } = key
    const ofTool = { target, tool }
    return (
      this.#within(MOST_KEYS, key) ??
      this.#within(MOST_TOOLS, ofTool) ??
      this.#within(Number.POSITIVE_INFINITY, { target })!
    )
  }

  #within(most: number, key: UsageKey): CallCounts | undefined {
    const name = nameOf(key)
    const known = this.#usages.get(name)
    if (known || this.#usages.size >= most) return known?.counts
    const counts = new CallCounts()
    this.#usages.set(name, { ...key, counts })
    return counts
  }

  toJson(): string {
    const kept = [...this.#usages.values()].map(({ counts, ...key }) => [key, counts.toKept()])
    return JSON.stringify(kept)
  }
}

/** Reads what `toJson` wrote. */
export function readSlot(json: string): (readonly [UsageKey, KeptCounts])[] {
  return readJson(json) as [UsageKey, KeptCounts][]
}

export function nameOf({ target, tool, client, principal }: UsageKey): string {
  return JSON.stringify([target, tool, client, principal])
}
