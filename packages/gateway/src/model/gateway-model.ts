import { isIP } from 'node:net'
import { addressKind } from '@gantry/mcp/foreign'
import type { AuditModel } from './audit-model.ts'
import type { AuthModel } from './auth-model.ts'
import type { ObjectPattern, PolicyModel } from './policy-model.ts'
import type { ResultRule } from './result-rules.ts'
import type { Expression, Filled, ViewModel } from './view-model.ts'
import type { Secret } from './secret.ts'
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
  /** What may come back from targets. */
  readonly results: readonly ResultRule[]
  readonly views: readonly ViewModel[]
  /** What callers may use, and how often. */
  readonly limits: UsageLimitsModel
  readonly telemetry: TelemetryModel
  /** Undefined: nothing is recorded. */
  readonly audit: AuditModel | undefined
  readonly targets: readonly TargetModel[]
}

export interface ServerModel {
  readonly host: string
  readonly port: number
  /** Whether `host` can be reached from this machine only. */
  readonly loopback: boolean
  /** What clients call the gateway when it is behind a proxy; part of OAuth's resource metadata. */
  readonly publicUrl: string | undefined
  /** Files of the certificate; undefined: plain HTTP, behind a proxy or on this machine. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** Besides the gateway's own; `*` allows any. */
  readonly allowedOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly console: boolean
  /** The identity that clients see, and text put in front of the targets' instructions. */
  readonly name: string
  readonly title: string | undefined
  readonly instructions: string | undefined
  /** The first seals session ids and `requestState`, all open them; empty: one is made and kept in `stateDir`. */
  readonly sealingKeys: readonly Secret[]
  /** How long the gateway goes on taking requests when it is told to stop, while `/ready` says so already. */
  readonly drainDelay: number
  /** How long calls in flight may take to end when the gateway stops. */
  readonly shutdownGrace: number
  readonly limits: LimitsModel
  /** Undefined: the gateway works alone. */
  readonly cluster: ClusterModel | undefined
  /** Processes that share the port; 1: this one alone. */
  readonly workers: number
}

/** The port where the other gateways reach this one. */
export interface ClusterModel {
  readonly host: string
  readonly port: number
  /** What the others call it; undefined: by `host` and `port`. */
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

export interface LimitsModel {
  readonly bodyBytes: number
  /** How long a body may take to arrive. */
  readonly bodyTimeout: number
  /** Bytes of bodies that are being received. */
  readonly receivingBytes: number
  readonly resultBytes: number
  /** Bytes of answers that their clients have not read. */
  readonly unreadBytes: number
  /** What sessions keep for clients that come back for the rest of a stream. */
  readonly eventBytes: number
  /** How long a client may read nothing of its answer. */
  readonly stallTimeout: number
  readonly sessions: number
  readonly sessionIdle: number
  /** Listeners, and the resources and tasks that they name. */
  readonly subscriptions: number
  readonly subscriptionsPerRequest: number
  readonly requestsInFlight: number
  /** Calls of legacy targets that wait for a modern client's answer. */
  readonly parkedCalls: number
  readonly parkedFor: number
  /** Targets that may be starting at the same time. */
  readonly startingTargets: number
  /** How much of each limit one caller may hold, 0 to 1. */
  readonly callerShare: number
}

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
export interface RetryModel {
  readonly for: readonly ObjectPattern[]
  /** Further tries, at most. */
  readonly attempts: number
  /** Before the first of them, in milliseconds; it doubles. */
  readonly pause: number
  /** When a second call is made beside the first, in milliseconds; undefined: never. */
  readonly hedgeAfter: number | undefined
}

/** How often something may be called, and how many such calls may be under way. */
export interface RateModel {
  readonly name: string
  /** What is counted; empty: every call. */
  readonly for: readonly ObjectPattern[]
  /** Calls with the same value are counted together; undefined: those of one caller. */
  readonly by: Expression | undefined
  readonly rate: { readonly calls: number; readonly seconds: number; readonly burst: number } | undefined
  /** Calls between midnight and midnight (UTC). */
  readonly perDay: number | undefined
  readonly concurrent: number | undefined
  /** How much of the limit a call takes. */
  readonly cost: Filled
  /** Counted for all processes that share the store. */
  readonly shared: boolean
  /** What a shared limit does while the store cannot be reached. */
  readonly storeAway: 'local' | 'refuse'
}

/** A call that failed in the same way so many times in a row is not made again for a while. */
export interface RepeatedErrorsModel {
  readonly after: number
  /** In milliseconds. */
  readonly pause: number
}

export interface NamesModel {
  readonly separator: string
  readonly maxLength: number
}

export interface CatalogModel {
  /** How long a list counts as fresh when its target does not say. */
  readonly ttl: number
  /** How long one target may delay a list. */
  readonly deadline: number
  /** Entries in one page of a list. */
  readonly pageSize: number
  /** Whether last-known lists are kept for the next run. */
  readonly persist: boolean
}

export interface TelemetryModel {
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'text' | 'json'
  readonly wire: ExchangeLogModel
  /** Share of exchanges whose messages the exchange log keeps, 0 to 1. */
  readonly sampling: number
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

export interface ExchangeLogModel {
  /** Messages kept; 0 switches the view off. */
  readonly size: number
  /** Bytes of one message that are kept. */
  readonly bodyBytes: number
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
  if (!view) return model
  const { policy, server, results } = model
  return {
    ...model,
    policy: { ...policy, within: view.use },
    server: view.instructions === undefined ? server : { ...server, instructions: view.instructions },
    results: [...results, ...view.results],
  }
}
