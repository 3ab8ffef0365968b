import { fileURLToPath } from 'node:url'
import type { Served } from '@gantry/mcp/exchange'
import type { RawConfig } from '../config/index.ts'
import { createDemoServer } from './demo-server.ts'

const EMBEDDED = 'gantry:demo'

/** The configuration of `npm start` and `gantry serve --demo`: one target in this process, one in its own. */
export function demoConfig(): { config: RawConfig; embedded: Map<string, Served> } {
  const script = fileURLToPath(new URL('./demo-stdio.js', import.meta.url))
  const config = {
    mcpServers: {
      demo: { module: EMBEDDED, start: 'eager' },
      notes: { command: process.execPath, args: [script], start: 'eager' },
    },
  }
  return { config: config as RawConfig, embedded: new Map([[EMBEDDED, createDemoServer()]]) }
}
