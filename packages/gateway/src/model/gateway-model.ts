import { isIP } from 'node:net'
import { addressKind } from '@gantry/mcp/foreign'
import type { AuthModel } from './auth-model.ts'
import type { ObjectPattern, PolicyModel } from './policy-model.ts'
import type { ResultRule } from './result-rules.ts'
import type { Expression, Filled, ViewModel } from './view-model.ts'
import type { Secret } from './secret.ts'
import type {
  AuditSettings,
  CatalogSettings,
  LimitsSettings,
  NamesSettings,
  RetrySettings,
  ServerSettings,
  TelemetrySettings,
  UsageLimitsSettings,
} from './settings.gen.ts'
import type { StoreModel } from './store-model.ts'
import type { TargetModel } from './target-model.ts'

/** The whole configuration: defaults filled in, references resolved, paths absolute, frozen. */
export interface GatewayModel {
  /** The file it came from; undefined when it was made in memory. */
  readonly file: string | undefined
  /** Where keys, catalogs and other things that outlive the process are kept. */
  readonly stateDir: string
  readonly server: ServerModel
  readonly auth: AuthModel
  readonly names: NamesModel
  readonly catalog: CatalogModel
  readonly store: StoreModel
  readonly policy: PolicyModel
  /** Rules for the results of targets. */
  readonly results: readonly ResultRule[]
  readonly views: readonly ViewModel[]
  /** Limits on the calls of callers. */
  readonly limits: UsageLimitsModel
  readonly telemetry: TelemetryModel
  /** Undefined: nothing is recorded. */
  readonly audit: AuditModel | undefined
  readonly targets: readonly TargetModel[]
}

/** Settings that need no compilation, and what becomes of the others. */
export interface ServerModel
  extends Pick<
    ServerSettings,
    'allowedOrigins' | 'allowedHosts' | 'console' | 'drainDelay' | 'shutdownGrace' | 'limits'
  > {
  readonly host: string
  readonly port: number
  /** Whether `host` can be reached from this machine only. */
  readonly loopback: boolean
  readonly publicUrl: string | undefined
  /** Files of the certificate; undefined: plain HTTP, behind a proxy or on this machine. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly name: string
  readonly title: string | undefined
  readonly instructions: string | undefined
  /** When empty, a key is made and kept in `stateDir`. */
  readonly sealingKeys: readonly Secret[]
  /** Undefined: the gateway works alone. */
  readonly cluster: ClusterModel | undefined
  /** The number of processes that share the port. */
  readonly workers: number
}

/** The port at which the other gateways reach this gateway. */
export interface ClusterModel {
  readonly host: string
  readonly port: number
  /** The address that other gateways use; undefined: `host` and `port`. */
  readonly address: string | undefined
  /** Undefined: what travels between gateways is signed, and not encrypted. */
  readonly tls: ClusterTlsModel | undefined
}

/** Files, in PEM. Gateways show each other certificates of one authority. */
export interface ClusterTlsModel {
  readonly cert: string
  readonly key: string
  readonly ca: string
  /** In the certificates of all gateways; undefined: the host in the address of each. */
  readonly name: string | undefined
}

/** How this machine reaches the port. */
export function schemeOf({ tls }: Pick<ServerModel, 'tls'>): 'http' | 'https' {
  return tls ? 'https' : 'http'
}

export type LimitsModel = LimitsSettings

export function sharedLimit(
  total: number,
  { callerShare }: LimitsModel,
): { perCaller: number; total: number } {
  return { perCaller: Math.ceil(total * callerShare), total }
}

export interface UsageLimitsModel {
  readonly rates: readonly RateModel[]
  /** Undefined: calls may be repeated at will. */
  readonly repeatedErrors: RepeatedErrorsModel | undefined
  /** Tools whose calls may be made once more. */
  readonly retries: readonly RetryModel[]
}

/** Calls that are made again when they fail on the way, or take long. */
export interface RetryModel extends Pick<RetrySettings, 'attempts' | 'pause'> {
  readonly for: readonly ObjectPattern[]
  /** Undefined: no second call is made beside the first. */
  readonly hedgeAfter: number | undefined
}

/** A limit on the rate of calls, their number in a day, and the calls under way. */
export interface RateModel {
  readonly name: string
  /** The view whose calls it counts; undefined: those at all endpoints. */
  readonly view?: string | undefined
  /** The calls that are counted; empty: every call. */
  readonly for: readonly ObjectPattern[]
  /** Calls with the same value are counted together; undefined: calls of the same caller. */
  readonly by: Expression | undefined
  readonly rate: { readonly calls: number; readonly seconds: number; readonly burst: number } | undefined
  /** Calls between midnight and midnight (UTC). */
  readonly perDay: number | undefined
  readonly concurrent: number | undefined
  /** How much of the limit a call takes. */
  readonly cost: Filled
  /** Counted for all processes that share the store. */
  readonly shared: boolean
  /** The behaviour of a shared limit while the store cannot be reached. */
  readonly storeAway: 'local' | 'refuse'
}

/** A call that failed in the same way so many times in a row is not made again for a while. */
export type RepeatedErrorsModel = NonNullable<UsageLimitsSettings['repeatedErrors']>

export type NamesModel = Pick<NamesSettings, 'separator' | 'maxLength'>

export type CatalogModel = CatalogSettings

export interface TelemetryModel extends Omit<TelemetrySettings, 'otlp'> {
  /** Where traces and metrics are sent by OTLP, and which. Undefined: the standard variables decide. */
  readonly otlp: OtlpModel | undefined
}

export interface OtlpModel {
  /** Without the path of the signal; undefined: the standard variables name it. */
  readonly endpoint: string | undefined
  readonly headers: Readonly<Record<string, Secret>>
  /** Share of traces that begin here and are sent, 0 to 1. */
  readonly share: number | undefined
  /** A request that takes so long is always sent, in milliseconds. */
  readonly slow: number
  /** Whether spans have arguments and results. */
  readonly bodies: boolean
  /** How often metrics are sent, in milliseconds. */
  readonly interval: number | undefined
}

export type ExchangeLogModel = TelemetrySettings['wire']

/** The audit trail: what is written, where, and for how long it is kept. */
export interface AuditModel
  extends Pick<AuditSettings, 'required' | 'lists' | 'bodies' | 'keepFor' | 'sync' | 'signEvery' | 'stdout'> {
  readonly folder: string
  /** A file is not longer than about this. */
  readonly maxFileBytes: number
  /** How many bytes all files may have together. */
  readonly keepBytes: number
  readonly http: AuditReceiver | undefined
  readonly otlp: AuditReceiver | undefined
}

/** Where events are sent to. */
export interface AuditReceiver {
  readonly url: string
  readonly headers: Readonly<Record<string, Secret>>
}

export function findTarget(model: GatewayModel, name: string): TargetModel | undefined {
  return model.targets.find((target) => target.name === name)
}

/** Whether only this machine reaches an address, in any of its spellings. Names are no addresses. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && addressKind(address) === 'loopback'
}

/** The same for a host as people write it. `localhost` counts; when it is bound, its address is checked again. */
export function isLoopbackHost(host: string): boolean {
  const plain = withoutBrackets(host)
  return /^localhost\.?$/i.test(plain) || isLoopbackAddress(plain)
}

/** `[::1]` is how URLs have it; sockets want `::1`. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** The configuration as it holds at one endpoint: a view has less than the gateway, and rules besides. */
export function endpointModel(model: GatewayModel, endpoint: string): GatewayModel {
  const view = model.views.find(({ name }) => name === endpoint)
  const { policy, server, results, limits } = model
  const rates = limits.rates.filter((one) => one.view === undefined || one.view === endpoint)
  const own = rates.length === limits.rates.length ? limits : { ...limits, rates }
  if (!view) return own === limits ? model : { ...model, limits: own }
  return {
    ...model,
    limits: own,
    policy: { ...policy, within: view.use },
    server: view.instructions === undefined ? server : { ...server, instructions: view.instructions },
    results: [...results, ...view.results],
  }
}
