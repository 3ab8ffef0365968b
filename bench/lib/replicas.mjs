import { rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gantry } from './gateways.mjs'
import { freePort } from './http-server.mjs'

/** Several of our gateways that act as one: they share a store. */
export async function startReplicas(count, targets, { server = {}, ...settings } = {}) {
  const stateDir = mkdtempSync(join(tmpdir(), 'gantry-bench-state-'))
  const all = []
  const close = async () => {
    await Promise.all(all.map((replica) => replica.close()))
    rmSync(stateDir, { recursive: true, force: true })
  }
  try {
    for (let at = 0; at < count; at++) {
      const cluster = { ...server.cluster, port: await freePort() }
      all.push(await gantry(targets, { ...settings, stateDir, server: { ...server, cluster } })([]))
    }
    return { all, close }
  } catch (error) {
    await close()
    throw error
  }
}
