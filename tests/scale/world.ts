import { fileURLToPath } from 'node:url'
import { createApp } from '../interop/fixtures/everything-app.mjs'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'
import type { Balancer } from './balancer.ts'
import { startRealBalancer, type BalancerKind } from './balancers.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const PROGRAM = fileURLToPath(new URL('../interop/fixtures/everything-server.mjs', import.meta.url))
const REVISIONS = { old: '2025-11-25', new: '2026-07-28' } as const

/** A server of each era at a URL and as a program, all with the same tools. */
export const TARGETS = ['old-url', 'new-url', 'old-program', 'new-program'] as const

export interface ScaleWorld {
  readonly balancer: Balancer
  readonly replicas: Replicas
  readonly redis: RedisServer
  close(): Promise<void>
}

/** Three gateways with a store in Redis behind a real balancer that sends each request to the next. */
export async function startGateways(
  kind: BalancerKind,
  config: Record<string, unknown>,
): Promise<ScaleWorld> {
  const redis = await startRedis()
  const replicas = await startReplicas(
    3,
    { ...config, telemetry: { logLevel: 'warn' } },
    { redis: { url: `redis://127.0.0.1:${redis.port}` } },
  )
  const balancer = await startRealBalancer(
    kind,
    replicas.all.map(({ url }) => url),
  )
  return {
    balancer,
    replicas,
    redis,
    async close() {
      await balancer.close()
      await replicas.close()
      await redis.stop()
    },
  }
}

/** The same with the targets. */
export async function startWorld(kind: BalancerKind): Promise<ScaleWorld> {
  const served: HttpTarget[] = []
  const mcpServers: Record<string, object> = {}
  for (const [age, revision] of Object.entries(REVISIONS)) {
    const target = await serveHttp(createApp({ revisions: [revision] }))
    served.push(target)
    mcpServers[`${age}-url`] = { url: target.url }
    mcpServers[`${age}-program`] = {
      command: process.execPath,
      args: [PROGRAM],
      env: { REVISIONS: revision },
    }
  }
  const world = await startGateways(kind, { mcpServers })
  return {
    ...world,
    async close() {
      await world.close()
      for (const target of served) await target.close()
    },
  }
}
