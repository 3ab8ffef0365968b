import { fileURLToPath } from 'node:url'
import { BOTH_ERAS } from '../../support/start-gateway.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))
const server = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fixture(name), ...args],
})

/** Targets as an operator has them: two that work and ask, and others that are broken in one way each. */
export const BUSY_HOUSE = {
  mcpServers: {
    ...BOTH_ERAS.mcpServers,
    crashing: server('crash-server.mjs'),
    missing: { command: 'no-such-command-anywhere' },
    unset: server('broken-server.mjs', 'missing-env'),
    silent: { ...server('broken-server.mjs', 'silent'), timeouts: { start: '1s' } },
    faulty: server('broken-server.mjs', 'failing-tool'),
    off: { command: process.execPath, disabled: true },
  },
}
