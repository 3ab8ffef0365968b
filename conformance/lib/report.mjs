/** One line per finished run, with what is wrong with it below. */
export function printResult(result) {
  const { scenario, group, problems, checked, milliseconds, notPossible } = result
  const mark = problems.length > 0 ? 'FAIL' : notPossible === undefined ? 'ok  ' : 'n/p '
  console.log(
    `${mark} ${group.padEnd(10)} ${scenario}  (${checked} checks, ${(milliseconds / 1000).toFixed(1)} s)`,
  )
  for (const problem of problems) console.log(`       ${problem}`)
  if (notPossible !== undefined) console.log(`       not possible: ${notPossible}`)
}

/** Passed runs per revision, for one role or one cell of the gateway's matrix. */
export function printTable(title, results) {
  console.log(`\n${title}`)
  for (const group of [...new Set(results.map((result) => result.group))]) {
    const those = results.filter((result) => result.group === group)
    const checks = those.reduce((sum, result) => sum + result.checked, 0)
    console.log(
      `  ${group.padEnd(10)}  ${count(those).padStart(7)} scenarios  ${String(checks).padStart(4)} checks`,
    )
  }
}

/** Scenarios, each counted once however many revisions it ran at: it passes when it passes at all of them. */
export function scenarioCounts(results) {
  const counted = possible(results)
  const failed = new Set(
    counted.filter((result) => result.problems.length > 0).map((result) => result.scenario),
  )
  const all = new Set(counted.map((result) => result.scenario))
  return { total: all.size, passed: all.size - failed.size }
}

/** Passed of possible. */
export function count(results) {
  const counted = possible(results)
  return `${counted.filter((result) => result.problems.length === 0).length}/${counted.length}`
}

function possible(results) {
  return results.filter((result) => result.notPossible === undefined)
}
