import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SKIPPED = new Set(['node_modules', 'dist', '.git'])

/**
 * When the newest of these files and folders was changed, in milliseconds. Folders count with everything in
 * them and with their own time, so that a removed file is noticed too. What does not exist does not count.
 */
export function newest(paths) {
  let time = 0
  for (const path of paths) {
    if (!existsSync(path)) continue
    const stats = statSync(path)
    time = Math.max(time, stats.mtimeMs)
    if (stats.isDirectory()) time = Math.max(time, newest(contents(path)))
  }
  return time
}

/** Whether `output` is missing or older than the newest of `inputs`. */
export function isStale(output, inputs) {
  return !existsSync(output) || statSync(output).mtimeMs < newest(inputs)
}

/** Records that something was made from what was there at `time`; later changes make it stale. */
export function stamp(path, time) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  utimesSync(path, new Date(time), new Date(time))
}

function contents(folder) {
  return readdirSync(folder)
    .filter((name) => !SKIPPED.has(name))
    .map((name) => join(folder, name))
}
