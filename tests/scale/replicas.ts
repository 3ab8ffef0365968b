import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveFrom, type SourceProcess } from '../support/source-process.ts'

export interface Replicas {
  readonly all: SourceProcess[]
  /** One more, with the same configuration. */
  add(): Promise<SourceProcess>
  close(): Promise<void>
}

/** Gateways that share a store and act as one. */
export async function startReplicas(count: number, config: Record<string, unknown>): Promise<Replicas> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-replicas-'))
  const file = join(folder, 'gantry.json')
  const { server, ...rest } = config
  await writeFile(
    file,
    JSON.stringify({ ...rest, server: { ...(server as object), cluster: {} }, stateDir: folder }),
  )
  const all: SourceProcess[] = []
  const add = async (): Promise<SourceProcess> => {
    const replica = await serveFrom(file)
    all.push(replica)
    return replica
  }
  await Promise.all(Array.from({ length: count }, add))
  return {
    all,
    add,
    async close() {
      await Promise.all(all.map((replica) => replica.kill()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
