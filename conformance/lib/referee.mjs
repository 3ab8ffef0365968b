import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newerNode } from '../../scripts/lib/newer-node.mjs'
import { ROOT, toolPath } from '../../scripts/lib/paths.mjs'
import { start, stop } from '../../scripts/lib/processes.mjs'
import { NEWEST_REVISION } from './plan.mjs'

/** The official suite, one process per scenario: in its suite mode crashes and time-outs do not count. */
export class Referee {
  #node
  #script

  constructor(node, script) {
    this.#node = node
    this.#script = script
  }

  static async find() {
    return new Referee(await newerNode(), toolPath('@modelcontextprotocol/conformance', 'conformance'))
  }

  /** The scenarios of a role: `{ name, revisions }`, revisions being `['extension']` off the timeline. */
  async scenarios(role) {
    // One run of all: its scenarios hand what they found to the next. Each revision checks what the ones before do.
    if (role === 'authorization') return [{ name: 'all', revisions: [NEWEST_REVISION] }]
    const { log } = await this.#run(['list', `--${role}`], 30_000)
    const lines = log.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)
    return [...lines].map(([, name, revisions]) => ({ name, revisions: revisions.split(',') }))
  }

  /** Runs one scenario; what the referee wrote, how it ended, and its checks (undefined when there are none). */
  async run({ role, scenario, revision, force, subject, timeout }) {
    const isLogin = role === 'authorization'
    const folder = await mkdtemp(join(tmpdir(), 'gantry-conformance-'))
    try {
      const target = isLogin
        ? subject.args
        : role === 'client'
          ? ['--command', subject, '--timeout', String(timeout)]
          : ['--url', subject]
      const which = isLogin ? [] : ['--scenario', scenario]
      const args = [role, ...which, '--spec-version', revision, '-o', folder, ...target]
      const told = isLogin ? subject.told : undefined
      const end = await this.#run(force ? [...args, '--force'] : args, timeout + 10_000, told)
      return { ...end, checks: await readChecks(folder) }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** `told` is called with all that the referee has said so far. */
  async #run(args, timeout, told = () => {}) {
    const child = start(this.#node, [this.#script, ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    })
    const output = []
    child.stdout.on('data', (chunk) => {
      output.push(chunk)
      told(Buffer.concat(output).toString('utf8'))
    })
    child.stderr.on('data', (chunk) => output.push(chunk))
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      stop(child)
    }, timeout)
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    clearTimeout(timer)
    return { code, timedOut, log: Buffer.concat(output).toString('utf8') }
  }
}

async function readChecks(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('checks.json'))
  if (files.length === 0) return undefined
  const lists = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return lists.flatMap((text) => JSON.parse(text))
}
