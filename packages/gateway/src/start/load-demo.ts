import type { Served } from '@gantry/mcp/exchange'
import type { RawConfig } from '../config/index.ts'

export interface DemoSource {
  readonly config: RawConfig
  readonly embedded: Map<string, Served>
}

/** The demo's configuration and the server that runs in this process. Loaded only when it is wanted. */
export async function loadDemo(): Promise<DemoSource> {
  const { demoConfig } = await import('../demo/demo-config.ts')
  return demoConfig()
}
