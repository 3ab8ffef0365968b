/**
 * What is wrong with one scenario's run, as sentences; none means that it passed.
 *
 * Stricter than the referee's own verdict: warnings count, and so does a run that checked nothing, or less
 * than `expected`, the ids of the checks that are known to be possible there (undefined when not recorded).
 */
export function judge({ checks, code, timedOut, log }, expected) {
  if (timedOut) return ['timed out']
  if (checks === undefined) return [`the referee gave no checks (exit code ${code}): ${lastLine(log)}`]
  const bad = checks.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
  if (bad.length > 0) return bad.map(describe)
  if (/TIMED OUT/.test(log)) return ['the client timed out although its checks passed']
  if (code !== 0) return [`exit code ${code} although its checks passed: ${lastLine(log)}`]
  const passed = passedIds(checks)
  // The suite itself always skips some scenarios; only a recorded, empty list of checks excuses that.
  if (passed.length === 0 && expected?.length !== 0) return ['vacuous: nothing was checked']
  const missing = (expected ?? []).filter((id) => !passed.includes(id))
  return missing.map((id) => `not checked, though it can be: ${id}`)
}

/** The ids of the checks that passed, each once. */
export function passedIds(checks) {
  return [...new Set(checks.filter((check) => check.status === 'SUCCESS').map((check) => check.id))].sort()
}

function describe({ status, id, errorMessage, description }) {
  const text = errorMessage ?? description ?? ''
  return `${status.toLowerCase()} ${id}: ${text.replace(/\s+/g, ' ').slice(0, 300)}`
}

function lastLine(log) {
  return log.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
}
