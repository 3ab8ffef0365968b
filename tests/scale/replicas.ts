import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { serveFrom, type SourceProcess } from '../support/source-process.ts'

export interface Replicas {
  readonly all: SourceProcess[]
  /** Where they reach each other. */
  readonly ports: readonly number[]
  /** Kills one and starts it again at once, at the same address for the others. */
  restart(at: number): Promise<void>
  close(): Promise<void>
}

/** Gateways that share a store and act as one. */
export async function startReplicas(count: number, config: Record<string, unknown>): Promise<Replicas> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-replicas-'))
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  const files = await Promise.all(
    ports.map(async (port, at) => {
      const file = join(folder, `gantry-${at}.json`)
      const given = config.server as { cluster?: object } | undefined
      const server = { ...given, cluster: { ...given?.cluster, port } }
      await writeFile(file, JSON.stringify({ ...config, server, stateDir: folder }))
      return file
    }),
  )
  const all = await Promise.all(files.map(serveFrom))
  return {
    all,
    ports,
    async restart(at) {
      await all[at]!.kill()
      all[at] = await serveFrom(files[at]!)
    },
    async close() {
      await Promise.all(all.map((replica) => replica.kill()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
