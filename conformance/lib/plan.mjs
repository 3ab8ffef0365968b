/** Extensions are not on the specification's timeline; they run at the newest revision. */
export const NEWEST_REVISION = '2026-07-28'

/**
 * The runs that a role needs: every scenario at every revision it applies to, narrowed to the scenarios and
 * revisions asked for. `group` is what tables and recorded facts call the revision.
 */
export function plan(scenarios, { only, revisions }) {
  const runs = scenarios.flatMap(({ name, revisions: applicable }) =>
    applicable.map((group) => ({
      scenario: name,
      group,
      revision: group === 'extension' ? NEWEST_REVISION : group,
      force: group === 'extension',
    })),
  )
  return runs
    .filter((run) => !only || only.includes(run.scenario))
    .filter((run) => !revisions || revisions.includes(run.group) || revisions.includes(run.revision))
    .sort((a, b) => a.group.localeCompare(b.group))
}

/** Calls `work` for each item, at most `jobs` at a time; results in the order of the items. */
export async function pooled(items, jobs, work) {
  const results = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: jobs }, worker))
  return results
}
