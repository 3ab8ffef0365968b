import { readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('../expected-checks.json', import.meta.url)

/**
 * Which checks a scenario is known to make: role → scenario → ids, or → revision → ids where revisions
 * differ. It keeps a run from passing because half of it silently did not take place.
 */
export class ExpectedChecks {
  facts

  constructor(facts) {
    this.facts = facts
  }

  static read() {
    return new ExpectedChecks(JSON.parse(readFileSync(FILE, 'utf8')))
  }

  /** The ids, or undefined when nothing is recorded. */
  of(role, scenario, revision) {
    const entry = this.facts[role]?.[scenario]
    const ids = typeof entry === 'string' ? entry : entry?.[revision]
    return ids?.split(' ').filter(Boolean)
  }

  /** Adds what a clean run passed. */
  add(role, scenario, revision, ids) {
    this.facts[role] ??= {}
    const entry = this.facts[role][scenario]
    const union = [...new Set([...(this.of(role, scenario, revision) ?? []), ...ids])].sort().join(' ')
    if (typeof entry === 'object') entry[revision] = union
    else if (entry === undefined || revision === 'extension') this.facts[role][scenario] = union
    else if (entry !== union) {
      throw new Error(
        `${scenario} has more checks at ${revision}: list them per revision in expected-checks.json`,
      )
    }
  }

  write() {
    writeFileSync(FILE, `${JSON.stringify(this.facts, undefined, 2)}\n`)
  }
}
