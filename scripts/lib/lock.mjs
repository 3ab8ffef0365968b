import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs one of several processes at a time; a lock whose holder is gone does not count. */
export async function withLock(folder, action) {
  while (!take(folder)) await sleep(200)
  try {
    return await action()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function take(folder) {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true })
    return false
  }
  writeFileSync(join(folder, 'pid'), String(process.pid))
  return true
}

function isAbandoned(folder) {
  try {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    // Between making the folder and naming the holder there is a moment without a number.
    if (pid > 0) process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
