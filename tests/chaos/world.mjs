import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startHttpTarget } from './http-target.mjs'
import { kill, pidsOf, until } from './processes.mjs'

const GATEWAY = fileURLToPath(new URL('../../packages/gateway/dist/cli/gantry.js', import.meta.url))
const RAW = fileURLToPath(new URL('../fixtures/raw-server.mjs', import.meta.url))

/** Beside the plain ones on stdio. */
export const OTHERS = ['asker', 'web', 'modern']

/**
 * A gateway in a process of its own with stdio targets, one of which asks questions and one of which often hangs when
 * it starts, and two over HTTP, one of each era.
 */
export class World {
  /** In the command line of every process that belongs to this world. */
  mark = `chaos-${randomUUID()}`
  stderr = ''
  /** Exits of the gateway that nobody asked for. */
  crashes = []
  #child
  #port = 0
  #dir

  constructor(stdioTargets) {
    this.targets = Array.from({ length: stdioTargets }, (_, index) => `t${index}`)
  }

  /** All that must work again after a fault. */
  get names() {
    return [...this.targets, ...OTHERS]
  }

  get endpoint() {
    return `http://127.0.0.1:${this.#port}/mcp`
  }

  async start() {
    this.#dir = await mkdtemp(join(tmpdir(), 'gantry-chaos-'))
    this.web = await startHttpTarget('web', ['2025-06-18', '2025-11-25'])
    this.modern = await startHttpTarget('modern', ['2026-07-28'])
    const raw = (options) => ({
      command: process.execPath,
      args: [RAW, JSON.stringify({ name: this.mark, ...options })],
      era: 'legacy',
    })
    const mcpServers = Object.fromEntries(this.targets.map((name) => [name, raw({})]))
    mcpServers.web = { url: this.web.url, era: 'legacy', oauth: false }
    mcpServers.modern = { url: this.modern.url, oauth: false }
    mcpServers.asker = { ...raw({}), isolation: 'session' }
    mcpServers.sluggish = { ...raw({ sluggish: 0.5 }), restart: { quarantineAfter: 1000 } }
    const config = {
      mcpServers,
      stateDir: this.#dir,
      server: { shutdownGrace: 0 },
      catalog: { deadline: 2000 },
      defaults: {
        timeouts: { start: 2000, idle: 2500 },
        restart: { minDelay: 50, maxDelay: 300, quarantineAfter: 100 },
      },
    }
    await writeFile(this.#configFile, JSON.stringify(config))
    await this.startGateway()
  }

  get #configFile() {
    return join(this.#dir, 'gantry.json')
  }

  /** On the same port every time: clients that were connected find it again. */
  async startGateway() {
    const args = [GATEWAY, 'serve', '--json', '--config', this.#configFile, '--port', String(this.#port)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    child.expected = false
    child.on('exit', (code, signal) => {
      if (!child.expected) this.crashes.push(`exit ${code ?? signal}: ${this.stderr.slice(-2000)}`)
    })
    child.stderr.on('data', (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-100_000)
    })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    const url = await until(() => /"url":\s*"([^"]+)"/.exec(out)?.[1], 20_000)
    if (!url) throw new Error(`The gateway did not start: ${out}\n${this.stderr}`)
    this.#port = Number(new URL(url).port)
  }

  get gatewayPid() {
    return this.#child.pid
  }

  async end(signal) {
    this.#child.expected = true
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill(signal)
    await exited
  }

  /** What is left of the processes that a gateway had, some seconds after its end. */
  async orphans() {
    await until(async () => (await pidsOf(this.mark)).length === 0, 8000, 100)
    return pidsOf(this.mark)
  }

  async close() {
    await this.end('SIGTERM')
    const orphans = await this.orphans()
    for (const pid of orphans) kill(pid)
    await Promise.all([this.web.close(), this.modern.close()])
    await rm(this.#dir, { recursive: true, force: true })
    return orphans
  }
}
