import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../scripts/lib/free-port.mjs'
import type { Balancer } from '../../scale/balancer.ts'
import { startRealBalancer } from '../../scale/balancers.ts'
import { type Replicas, startReplicas } from '../../scale/replicas.ts'
import { type SlowProxy, startSlowProxy } from '../../support/slow-proxy.ts'
import { type RedisPair, startRedisPair } from './redis-pair.ts'

const SERVER = fileURLToPath(new URL('./counting-server.mjs', import.meta.url))
const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'

/** Programs belong to one gateway; servers at a URL are asked by all. */
export const TARGETS = ['old-url', 'new-url', 'old-program', 'new-program'] as const

/** Never for long: what is killed on purpose again and again is no fault of the program. */
const RESTART = { minDelay: 50, maxDelay: 100, quarantineAfter: 1_000_000 }

/** Gateways behind a balancer, with a proxy of ours on every way between them, and servers that count. */
export class ChaosWorld {
  readonly replicas: Replicas
  readonly balancer: Balancer
  readonly redis: RedisPair
  /** Between the balancer and each gateway, and between the gateways. */
  readonly proxies: readonly SlowProxy[]
  readonly #servers: CountingServer[]
  readonly #folder: string

  private constructor(parts: {
    replicas: Replicas
    balancer: Balancer
    redis: RedisPair
    proxies: SlowProxy[]
    servers: CountingServer[]
    folder: string
  }) {
    this.replicas = parts.replicas
    this.balancer = parts.balancer
    this.redis = parts.redis
    this.proxies = parts.proxies
    this.#servers = parts.servers
    this.#folder = parts.folder
  }

  static async start(count: number): Promise<ChaosWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'gantry-chaos-'))
    const ledger = join(folder, 'ledger')
    await writeFile(ledger, '')
    const redis = await startRedisPair()
    const servers: CountingServer[] = []
    const mcpServers: Record<string, object> = {}
    for (const [age, revision] of [
      ['old', LEGACY],
      ['new', MODERN],
    ] as const) {
      const env = { LEDGER: ledger, REVISIONS: revision }
      const server = new CountingServer(await freePort(), env)
      await server.start()
      servers.push(server)
      mcpServers[`${age}-url`] = { url: server.url, restart: RESTART }
      mcpServers[`${age}-program`] = { command: process.execPath, args: [SERVER], env, restart: RESTART }
    }
    const proxies: SlowProxy[] = []
    const behindProxy = async (port: number): Promise<string> => {
      const proxy = await startSlowProxy(port)
      proxies.push(proxy)
      return `http://127.0.0.1:${proxy.port}`
    }
    const replicas = await startReplicas(
      count,
      { mcpServers, telemetry: { logLevel: 'error' }, server: { drainDelay: '300ms', shutdownGrace: '2s' } },
      { redis: redis.settings, addressOf: behindProxy },
    )
    const places: string[] = []
    for (const { url } of replicas.all) places.push(await behindProxy(Number(new URL(url).port)))
    const balancer = await startRealBalancer('nginx', places)
    return new ChaosWorld({ replicas, balancer, redis, proxies, servers, folder })
  }

  /** How often each call was carried out. */
  async counts(): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (const id of (await readFile(join(this.#folder, 'ledger'), 'utf8')).split('\n')) {
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    return counts
  }

  async restartServer(at: number): Promise<void> {
    const server = this.#servers[at % this.#servers.length]!
    await server.kill()
    await server.start()
  }

  async close(): Promise<void> {
    await this.balancer.close()
    await this.replicas.close()
    for (const proxy of this.proxies) await proxy.close()
    for (const server of this.#servers) await server.kill()
    await this.redis.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** A server at a URL, in a process of its own. */
class CountingServer {
  readonly url: string
  readonly #port: number
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined

  constructor(port: number, env: Record<string, string>) {
    this.#port = port
    this.#env = env
    this.url = `http://127.0.0.1:${port}/mcp`
  }

  async start(): Promise<void> {
    this.#child = spawn(process.execPath, [SERVER, String(this.#port)], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(this.#child.stdout!, 'data')
  }

  async kill(): Promise<void> {
    const child = this.#child!
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}
