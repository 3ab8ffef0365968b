import type { ServerOverrides, UserPlaces } from '../config/index.ts'
import type { Front } from '../front/front.ts'
import type { Gateway } from '../gateway.ts'
import type { KeptKeys } from '../identity/keys/kept-keys.ts'
import type { LazyAccounts } from '../identity/vault/lazy-accounts.ts'
import type { LogRing } from '../telemetry/log-ring.ts'
import type { ConfigFile } from './config/config-file.ts'
import type { OtherGateways } from './together/asking.ts'

export interface AdminHost {
  readonly gateway: Gateway
  /** The keys in the store. */
  readonly keys: KeptKeys
  /** The accounts of people at targets. */
  readonly accounts: Pick<LazyAccounts, 'get'>
  readonly log: LogRing
  /** Absent when commands work without a listening gateway. */
  readonly front: Front | undefined
  /** The other gateways that act as one with this gateway; absent when it works alone. */
  readonly others?: OtherGateways | undefined
  /** The address at which clients reach the gateway, without a path. */
  readonly url: string
  readonly version: string
  readonly startedAt: number
  readonly places: UserPlaces
  readonly overrides: ServerOverrides
  /** Absent when the configuration was made in memory. */
  readonly configFile: ConfigFile | undefined
  /** The configuration as JSON, when it was. */
  readonly memoryConfig: string
  /** Makes a new token for the console and returns the console's address; absent when there is no console. */
  readonly renewToken?: (() => Promise<string>) | undefined
}
