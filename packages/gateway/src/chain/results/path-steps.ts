import type { ResultRule } from '../../model/index.ts'
import type { Action } from './text-cleaner.ts'

/** One step of a path; the last one is followed by what to do there. */
interface PathStep {
  readonly key: string
  readonly next: PathStep | PathEnd
}

interface PathEnd {
  readonly name: string
  readonly action: Action
}

/** A place in a value, and which paths lead on from there. */
export type PathSteps = ReadonlySet<PathStep | PathEnd>

const NONE: PathSteps = new Set()

/** The paths of some rules, at the root. `*` stands for one step, `**` for any number of them. */
export function pathsOf(rules: readonly ResultRule[]): PathSteps {
  const starts = new Set<PathStep | PathEnd>()
  for (const action of ['refuse', 'drop', 'mask'] as const) {
    for (const one of rules.flatMap((rule) => rule[action])) {
      if (one.kind !== 'path') continue
      const end: PathEnd = { name: one.name, action }
      add(
        starts,
        one.path.reduceRight<PathStep | PathEnd>((next, key) => ({ key, next }), end),
      )
    }
  }
  return starts.size === 0 ? NONE : starts
}

/** The place one step further. */
export function follow(steps: PathSteps, key: string): PathSteps {
  if (steps.size === 0) return NONE
  const reached = new Set<PathStep | PathEnd>()
  for (const step of steps) {
    if (!('key' in step)) continue
    if (step.key === '**') add(reached, step)
    else if (step.key === '*' || step.key === key) add(reached, step.next)
  }
  return reached
}

/** What is to be done here, if this is the end of a path. */
export function endOf(steps: PathSteps): PathEnd | undefined {
  for (const step of steps) if (!('key' in step)) return step
  return undefined
}

function add(steps: Set<PathStep | PathEnd>, step: PathStep | PathEnd): void {
  steps.add(step)
  if ('key' in step && step.key === '**') add(steps, step.next)
}
