import type { Served } from '@gantry/mcp/exchange'
import type { AdminHost } from '../admin/admin-host.ts'
import {
  currentPlaces,
  type Loaded,
  type LoadOptions,
  type ServerOverrides,
  type UserPlaces,
} from '../config/index.ts'
import type { GatewayModel } from '../model/index.ts'
import { readVersion } from '../model/read-version.ts'
import type { WorkerPlace } from '../workers/worker-place.ts'
import type { LogLevel, LogOptions } from '../telemetry/log.ts'

export interface StartOptions {
  readonly model: GatewayModel
  readonly embedded?: ReadonlyMap<string, Served>
  /** Instead of the configured level. */
  readonly logLevel?: LogLevel
  /** Instead of the configured format. */
  readonly logFormat?: LogOptions['format'] | undefined
  /** Tries the following ports when the first is taken. */
  readonly searchPort?: boolean
  /** The file that the model came from: it is followed, and the console can edit it. */
  readonly source?: ConfigSource | undefined
  /** The configuration as JSON when it came from no file. */
  readonly memoryConfig?: string | undefined
  /** What is served, as a text for people who look for this gateway. */
  readonly serves?: string | undefined
  /** The machine and the user of the embedding program, when the configuration came from no file. */
  readonly places?: UserPlaces | undefined
  /** Which of the processes it is that share the port; undefined: it has the port alone. */
  readonly worker?: WorkerPlace | undefined
}

export interface ConfigSource {
  readonly file: string
  readonly loaded: Loaded
  readonly places: UserPlaces
  readonly overrides: ServerOverrides
  /** Whether the user has accepted what the file says now. Absent when all of its changes are followed. */
  readonly isAccepted?: LoadOptions['isAccepted']
}

type HostFacts = Pick<AdminHost, 'version' | 'startedAt' | 'places' | 'overrides' | 'memoryConfig'>

/** What the admin API tells about the program it runs in. */
export function hostFacts({ source, memoryConfig, places }: StartOptions): HostFacts {
  return {
    version: readVersion(),
    startedAt: Date.now(),
    places: source?.places ?? places ?? currentPlaces(),
    overrides: source?.overrides ?? {},
    memoryConfig: memoryConfig ?? '{}',
  }
}
