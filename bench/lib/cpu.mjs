import { readFileSync, readdirSync } from 'node:fs'

// What Linux counts in, on every architecture that Node runs on.
const TICK_MICROSECONDS = 10_000

/** CPU time that a process and its living descendants, unless it `alone`, have used; NaN where the system does not tell. */
export function cpuMicroseconds(pid, alone = false) {
  try {
    return (alone ? [pid] : processTree(pid)).reduce((sum, each) => sum + ownTime(each), 0)
  } catch {
    return Number.NaN
  }
}

/** CPU time that the whole machine has used; NaN where the system does not tell. */
export function busyMicroseconds() {
  try {
    const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return (user + nice + system + irq + softirq) * TICK_MICROSECONDS
  } catch {
    return Number.NaN
  }
}

/** Memory that a process has now; NaN where the system does not tell. */
export function residentMegabytes(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
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
