import type { Instance } from '../../targets/connection/instance.ts'
import type { ProcessFacts } from '../../targets/connected/target-connection.ts'
import type { Target } from '../../targets/target.ts'
import type { ProcessRow, ProcessUsage } from '../contract.ts'

const FRESH_FOR = 1500

interface Reading {
  readonly at: number
  readonly rows: Promise<ProcessRow[]>
  /** Set when `rows` is known. */
  known: ProcessRow[] | undefined
}

/** Looks at the process trees of targets, but not more often than a person could read the numbers. */
export class ProcessWatch {
  readonly #readings = new WeakMap<ProcessFacts, Reading>()
  readonly #hide: (text: string) => string

  constructor(hide: (text: string) => string) {
    this.#hide = hide
  }

  rows(instance: Instance): Promise<ProcessRow[]> {
    const facts = instance.connection?.process
    return facts ? this.#read(facts).rows : Promise.resolve([])
  }

  /** The usage of all connections of a target together. */
  async usage(target: Target): Promise<ProcessUsage | undefined> {
    const trees = await Promise.all(target.instances.map((instance) => this.rows(instance)))
    return sum(trees.flat())
  }

  /** The usage at the last look; the next one may be under way. */
  lastUsage(target: Target): ProcessUsage | undefined {
    const rows = target.instances.flatMap(({ connection }) => {
      if (!connection?.process) return []
      const last = this.#readings.get(connection.process)
      this.#read(connection.process)
      return last?.known ?? []
    })
    return sum(rows)
  }

  #read(facts: ProcessFacts): Reading {
    const last = this.#readings.get(facts)
    if (last && Date.now() - last.at < FRESH_FOR) return last
    const reading: Reading = { at: Date.now(), rows: readTree(facts, this.#hide), known: last?.known }
    reading.rows.then((rows) => {
      reading.known = rows
    })
    this.#readings.set(facts, reading)
    return reading
  }
}

async function readTree(facts: ProcessFacts, hide: (text: string) => string): Promise<ProcessRow[]> {
  const found = await facts.tree().catch(() => [])
  const depths = new Map<number, number>()
  return found.map(({ pid, parent, rss, cpu, command }) => {
    const depth = (depths.get(parent) ?? -1) + 1
    depths.set(pid, depth)
    return { pid, ppid: parent, depth, command: hide(command), rss, cpuSeconds: cpu / 1000 }
  })
}

function sum(rows: readonly ProcessRow[]): ProcessUsage | undefined {
  if (rows.length === 0) return undefined
  return {
    rss: rows.reduce((total, row) => total + row.rss, 0),
    cpuSeconds: rows.reduce((total, row) => total + row.cpuSeconds, 0),
    processes: rows.length,
  }
}
