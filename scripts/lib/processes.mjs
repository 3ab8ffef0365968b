import { spawn } from 'node:child_process'
import { ROOT } from './paths.mjs'

const WINDOWS = process.platform === 'win32'
const running = new Set()

/**
 * Starts a program in a process group of its own, so that stopping it stops what it started. Everything that
 * still runs is stopped when this process is told to stop.
 */
export function start(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    detached: !WINDOWS,
    windowsHide: true,
    ...options,
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/** Runs a program to its end; the exit code, or 1 when it was killed or could not be started. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = start(command, args, options)
    child.once('error', (error) => {
      console.error(`${command} could not be started: ${error.message}`)
      resolve(1)
    })
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** Runs one of Node's own scripts with this Node. */
export function runNode(args, options) {
  return run(process.execPath, args, options)
}

/** Asks a program and its descendants to stop, and insists after five seconds. */
export async function stop(child) {
  if (!running.has(child)) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  signalTree(child, 'SIGTERM')
  const insist = setTimeout(() => signalTree(child, 'SIGKILL'), 5_000)
  await closed
  clearTimeout(insist)
}

/** Hands SIGINT and SIGTERM on to whatever runs, then exits as a shell would report it. */
export function stopWithParent() {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    process.once(signal, async () => {
      await Promise.all([...running].map(stop))
      process.exit(code)
    })
  }
  process.once('exit', () => {
    for (const child of running) signalTree(child, 'SIGKILL')
  })
}

function signalTree(child, signal) {
  if (child.pid === undefined) return
  if (WINDOWS) {
    spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true })
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group is gone already.
  }
}
