import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { serveFrom, type SourceProcess } from '../support/source-process.ts'

export interface ReplicaOptions {
  /** The store in Redis, as machines have it. Without it they share a folder of this one. */
  readonly redis?: object
  /** Where the others reach the one at this port. */
  readonly addressOf?: (port: number) => Promise<string>
}

export interface Replicas {
  readonly all: SourceProcess[]
  /** Where they reach each other. */
  readonly ports: readonly number[]
  /** Kills one and starts it again at once, at the same address for the others. */
  restart(at: number): Promise<void>
  /** Starts one that has ended. */
  start(at: number): Promise<void>
  close(): Promise<void>
}

interface Place {
  readonly file: string
  readonly port: number
  /** Where the other gateways reach it. */
  readonly hop: number
}

/** Gateways that share a store and act as one. */
export async function startReplicas(
  count: number,
  config: Record<string, unknown>,
  options: ReplicaOptions = {},
): Promise<Replicas> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-replicas-'))
  const places: Place[] = []
  for (let at = 0; at < count; at++) places.push(await prepare(join(folder, `gantry-${at}`), config, options))
  const serve = ({ file, port }: Place): Promise<SourceProcess> => serveFrom(file, { port })
  const all = await Promise.all(places.map(serve))
  const start = async (at: number): Promise<void> => {
    all[at] = await serve(places[at]!)
  }
  return {
    all,
    ports: places.map(({ hop }) => hop),
    start,
    async restart(at) {
      await all[at]!.kill()
      await start(at)
    },
    async close() {
      await Promise.all(all.map((replica) => replica.kill()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function prepare(
  path: string,
  config: Record<string, unknown>,
  { redis, addressOf }: ReplicaOptions,
): Promise<Place> {
  const port = await freePort()
  const address = await addressOf?.(port)
  const given = config.server as { cluster?: object } | undefined
  const server = {
    ...given,
    ...(redis && { sealingKeys: ['a sealing key that replicas share: 0123456789'] }),
    cluster: { ...given?.cluster, port, ...(address !== undefined && { address }) },
  }
  const state = redis ? { store: { redis }, stateDir: path } : { stateDir: join(path, '..') }
  await writeFile(`${path}.json`, JSON.stringify({ ...config, ...state, server }))
  return { file: `${path}.json`, port: await freePort(), hop: port }
}
