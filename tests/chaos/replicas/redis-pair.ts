import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRedis, type RedisServer } from '../../support/redis.ts'

export interface RedisPair {
  /** What a gateway is configured with. */
  readonly settings: object
  /** Resolves when the replica has everything. */
  settled(): Promise<void>
  /**
   * Kills the server that writes, waits until the other one is promoted, and starts the first again beside it. The
   * Sentinel notices after so many milliseconds.
   */
  failOver(noticedAfter: number): Promise<void>
  close(): Promise<void>
}

const PROMOTED_WITHIN = 20_000
/** A replica is sent everything at once. By itself Redis waits five seconds for others that want it as well. */
const QUICK = ['--repl-diskless-sync-delay', '0']

/** A server, its replica and a Sentinel that promotes it. */
export async function startRedisPair(): Promise<RedisPair> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-sentinel-'))
  const first = await startRedis({ args: QUICK })
  const second = await startRedis({ args: [...QUICK, '--replicaof', '127.0.0.1', String(first.port)] })
  const file = join(folder, 'sentinel.conf')
  await writeFile(
    file,
    [
      `sentinel monitor main 127.0.0.1 ${first.port} 1`,
      'sentinel down-after-milliseconds main 1000',
      'sentinel failover-timeout main 2000',
    ].join('\n'),
  )
  const sentinel = await startRedis({ sentinel: true, file })
  // Otherwise a replica that is back is looked at only every ten seconds, and cannot be promoted before. One whose
  // server is gone is asked each second, and must have answered within five pings, or nobody is promoted for seconds.
  await sentinel.ask('SENTINEL DEBUG info-period 200 ping-period 300')
  const servers = [first, second]
  const isReplicated = async (main: RedisServer): Promise<boolean> =>
    (await main.ask('WAIT 1 100')).includes(':1')
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo().catch(() => false))) await sleep(20)
  }
  await until(async () => (await sentinel.ask('SENTINEL replicas main')).includes('*1'))
  await until(() => isReplicated(first))
  return {
    settings: { sentinels: [`127.0.0.1:${sentinel.port}`], masterName: 'main' },
    async settled() {
      // A server that was slow for a moment was replaced without having been killed.
      await until(async () => {
        if (!(await takesWrites(servers[0]!).catch(() => false))) servers.reverse()
        return isReplicated(servers[0]!)
      })
    },
    async failOver(noticedAfter) {
      const [main, other] = servers as [RedisServer, RedisServer]
      await sentinel.ask(`SENTINEL SET main down-after-milliseconds ${Math.round(noticedAfter)}`)
      await main.kill()
      const limit = Date.now() + PROMOTED_WITHIN
      const isPromoted = () => takesWrites(other).catch(() => false)
      while (!(await isPromoted()) && Date.now() < limit) await sleep(20)
      // Not promoted in time: Redis was away, and is back.
      if (!(await isPromoted())) return main.start(undefined, ['--replicaof', 'no', 'one'])
      servers.reverse()
      // As a replica from the start: two that both took themselves for the one that writes end as two that do not.
      await main.start(undefined, ['--replicaof', '127.0.0.1', String(other.port)])
    },
    async close() {
      for (const server of [...servers, sentinel]) await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function takesWrites(server: RedisServer): Promise<boolean> {
  return (await server.ask('SET who-writes 1')).startsWith('+OK')
}
