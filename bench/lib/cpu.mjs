import { readFileSync, readdirSync } from 'node:fs'

// What Linux counts in, on every architecture that Node runs on.
const TICK_MICROSECONDS = 10_000

/** CPU time that a process and its living descendants have used; NaN where the system does not tell. */
export function cpuMicroseconds(pid) {
  try {
    return processTree(pid).reduce((sum, each) => sum + ownTime(each), 0)
  } catch {
    return Number.NaN
  }
}

/** A process and its living descendants. */
export function processTree(pid) {
  return [pid, ...childrenOf(pid).flatMap(processTree)]
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

function ownTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, which may contain anything, ends at the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS
}
