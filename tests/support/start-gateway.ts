import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configFromValue, type RawConfig } from '../../packages/gateway/src/config/index.ts'
import { startGateway, type RunningGateway } from '../../packages/gateway/src/main.ts'

export const ASKING_SERVER = fileURLToPath(new URL('../fixtures/asking-server.mjs', import.meta.url))

export interface TestGateway extends RunningGateway {
  readonly endpoint: string
}

/** A gateway on a free port with its state in a folder of its own; `close` leaves nothing behind. */
export async function testGateway(config: Record<string, unknown>): Promise<TestGateway> {
  const stateDir = await mkdtemp(join(tmpdir(), 'gantry-test-'))
  const loaded = await configFromValue({ stateDir, ...config } as RawConfig, { overrides: { port: 0 } })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, undefined, 2))
  const running = await startGateway({ model: loaded.model, logLevel: 'error' })
  return {
    ...running,
    endpoint: `${running.url}/mcp`,
    async close() {
      await running.close()
      await rm(stateDir, { recursive: true, force: true })
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
