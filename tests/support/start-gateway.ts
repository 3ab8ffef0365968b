import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configFromValue, type RawConfig } from '../../packages/gateway/src/config/index.ts'
import { startGateway, type RunningGateway, type StartOptions } from '../../packages/gateway/src/main.ts'
import type { GatewayModel } from '../../packages/gateway/src/model/index.ts'

export const ASKING_SERVER = fileURLToPath(new URL('../fixtures/asking-server.mjs', import.meta.url))

export interface TestGateway extends RunningGateway {
  readonly endpoint: string
  readonly stateDir: string
}

export interface TestOptions extends Partial<Omit<StartOptions, 'model'>> {
  /** Default: any free one. */
  port?: number
}

export async function modelOf(config: Record<string, unknown>, port: number = 0): Promise<GatewayModel> {
  const loaded = await configFromValue(config as RawConfig, { overrides: { port } })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, undefined, 2))
  return loaded.model
}

/**
 * A gateway on a free port with its state in a folder of its own; `close` leaves nothing behind. With a
 * `stateDir` in the configuration that folder is used and kept.
 */
export async function testGateway(
  config: Record<string, unknown>,
  { port, ...options }: TestOptions = {},
): Promise<TestGateway> {
  const kept = config.stateDir as string | undefined
  const stateDir = kept ?? (await mkdtemp(join(tmpdir(), 'gantry-test-')))
  const server = { shutdownGrace: 0, ...(config.server as object | undefined) }
  const model = await modelOf({ ...config, server, stateDir }, port)
  const running = await startGateway({ model, logLevel: 'error', ...options })
  return {
    ...running,
    stateDir,
    endpoint: `${running.url}/mcp`,
    async close() {
      await running.close()
      if (kept === undefined) await rm(stateDir, { recursive: true, force: true })
    },
  }
}

/** One asking server of each era on stdio: what the bridge is about. */
export const BOTH_ERAS = {
  mcpServers: {
    old: { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2025-06-18,2025-11-25' } },
    new: { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2026-07-28' } },
  },
}
