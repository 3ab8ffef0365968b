import type { GatewayInfo, Timestamp } from './common.ts'
import type { ConfigStatus } from './config.ts'
import type { EntryCounts, TargetCard, TrafficBucket, TrafficStats } from './targets.ts'

export interface Overview {
  readonly gateway: GatewayInfo
  readonly endpoint: EndpointInfo
  readonly snippets: readonly Snippet[]
  /** In the order of the configuration. */
  readonly targets: readonly TargetCard[]
  readonly total: TrafficStats
  readonly counts: EntryCounts
  readonly clients: number
  /** Whether a client besides the playground has been here since the start. */
  readonly hadClients: boolean
  readonly inFlight: number
  readonly config: ConfigStatus
  /** Whether an audit trail is kept. */
  readonly hasAudit: boolean
  readonly store: StoreInfo
}

export interface StoreInfo {
  readonly kind: 'memory' | 'embedded' | 'redis'
  /** While it cannot be reached. */
  readonly away?: { readonly since: Timestamp; readonly reason: string }
}

/** `GET /api/load?range=…&target=…`, oldest first. */
export interface Load {
  readonly range: LoadRange
  readonly buckets: readonly TrafficBucket[]
}

/** Ten seconds, a minute or a quarter of an hour in each bucket. */
export type LoadRange = '10m' | '1h' | '24h'

export interface EndpointInfo {
  /** Both eras of Streamable HTTP. */
  readonly mcp: string
  /** HTTP+SSE of 2024-11-05. */
  readonly sse: string
  /** Whether clients have to send a key or token. */
  readonly auth: 'none' | 'required'
}

/** Text to paste into a client's settings. */
export interface Snippet {
  /** `claude-desktop`, `claude-code`, `cursor`, `vscode`, `windsurf`, `mcp-json`, `inspector`, `curl`, `typescript` */
  readonly client: string
  readonly title: string
  readonly language: 'json' | 'shell' | 'typescript'
  readonly text: string
  /** The file it belongs into, or where to run it. */
  readonly where: string
}
