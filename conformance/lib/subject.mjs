import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { start, stop } from '../../scripts/lib/processes.mjs'

const START_LIMIT = 20_000

/**
 * Starts a script that serves MCP, under the Node that runs the project, and waits until it answers. The
 * script gets a free port in `PORT`; `args` may be a function of that port.
 */
export async function startServer(script, args = [], port = undefined) {
  requireFile(script)
  port ??= await freePort()
  const child = start(process.execPath, [script, ...(typeof args === 'function' ? args(port) : args)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PORT: String(port) },
  })
  const errors = []
  child.stderr.on('data', (chunk) => errors.push(chunk))
  const subject = {
    url: `http://localhost:${port}/mcp`,
    /** What the server printed on stderr. */
    get log() {
      return Buffer.concat(errors).toString('utf8')
    },
    /** Why the server is not there any more, when it went by itself. */
    get failure() {
      if (child.exitCode === null && child.signalCode === null) return undefined
      return `${script} ended (${child.signalCode ?? `exit code ${child.exitCode}`})\n${this.log}`
    },
    stop: () => stop(child),
  }
  await untilAnswering(subject)
  return subject
}

/** The command line that runs a fixture client. */
export function clientCommand(script) {
  requireFile(script)
  return `"${process.execPath}" ${script}`
}

async function untilAnswering(subject) {
  const deadline = Date.now() + START_LIMIT
  for (;;) {
    if (subject.failure) throw new Error(subject.failure)
    if (await answers(subject.url)) return
    if (Date.now() > deadline) {
      await subject.stop()
      throw new Error(`no answer from ${subject.url} within ${START_LIMIT / 1000} s`)
    }
    await delay(50)
  }
}

async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return true
  } catch {
    return false
  }
}

function requireFile(script) {
  if (!existsSync(join(ROOT, script))) throw new Error(`${script} does not exist`)
}
