import type { ConfigPath } from './problem.ts'
import type { RawTarget, RawTargetDefaults } from './raw-config.ts'

/** One target of the file and what the rest of the file says about it. */
export interface TargetSource {
  readonly name: string
  readonly raw: RawTarget
  /** Where it is: under `mcpServers` or `servers`. */
  readonly path: ConfigPath
  readonly defaults: RawTargetDefaults
  /** Whether names start with the target's name when the target does not say. */
  readonly prefixed: boolean
  /** `server.trustedHosts`. */
  readonly trustedHosts: readonly string[]
}
