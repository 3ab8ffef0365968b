import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Process ids whose command line holds the mark. */
export async function pidsOf(mark) {
  const { stdout } = await run('ps', ['-eo', 'pid=,args='], { maxBuffer: 16 * 1024 * 1024 })
  return stdout
    .split('\n')
    .filter((line) => line.includes(mark) && !line.includes('ps -eo'))
    .map((line) => Number(line.trim().split(' ', 1)[0]))
}

export async function until(condition, milliseconds, step = 20) {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > deadline) return undefined
    await new Promise((resolve) => setTimeout(resolve, step))
  }
}

export function kill(pid) {
  // 0 is the whole group of this process, and NaN is nobody.
  if (!(pid > 1)) throw new Error(`${pid} is not the id of a process to kill`)
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was faster.
  }
}

/** A random number generator that can be started again: a failed run is repeated with its seed. */
export function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
