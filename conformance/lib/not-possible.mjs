/**
 * What no gateway could make true in some cells of its matrix, and why; docs/conformance.md repeats it. An
 * entry without `checks` is about the whole scenario, else only about those checks of it.
 */
const LIST = [
  {
    cells: /^2026-07-28\/legacy-/,
    scenarios: ['tasks-mrtr-composition'],
    reason:
      'an older server can say that a tool runs as a task, not that it asks first and becomes one afterwards',
  },
]

/** What is known to be impossible for a scenario in a cell: `{ checks?, reason }`, or undefined. */
export function notPossible(cell, scenario, list = LIST) {
  return list.find(({ cells, scenarios }) => cells.test(cell) && scenarios.includes(scenario))
}

/**
 * The verdict on a run in the light of what is not possible there: problems that remain, and the reason when
 * the whole scenario is excused. What passes after all must leave the list, or the list would hide things.
 */
export function excuse({ problems, checked }, known) {
  if (!known) return { problems }
  const { checks, reason } = known
  if (!checks) {
    if (problems.length === 0) return { problems: ['listed as not possible, but it passes'] }
    // A crash or a time-out is none of the checks that cannot be met.
    const isExcused = problems.every((problem) => /^(failure|warning) /.test(problem))
    return isExcused ? { problems: [], notPossible: reason } : { problems }
  }
  const missing = checks.map((id) => `not checked, though it can be: ${id}`)
  const surprising = checks.filter((id) => checked.includes(id))
  return {
    problems: [
      ...problems.filter((problem) => !missing.includes(problem)),
      ...surprising.map((id) => `listed as not possible, but it passes: ${id}`),
    ],
  }
}
