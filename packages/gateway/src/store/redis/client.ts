import type { SecureContextOptions } from 'node:tls'
import { createClient, createCluster, createSentinel, RESP_TYPES } from '@redis/client'

export interface RedisHost {
  readonly host: string
  readonly port: number
}

export interface RedisAccount {
  readonly username?: string | undefined
  readonly password?: string | undefined
}

/** Where Redis is: one server, a server that Sentinels name, or a cluster. */
export type RedisPlace =
  | { readonly kind: 'server'; readonly server: RedisHost }
  | {
      readonly kind: 'sentinels'
      readonly sentinels: readonly RedisHost[]
      readonly name: string
      readonly account: RedisAccount
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly RedisHost[] }

export interface RedisOptions {
  readonly place: RedisPlace
  readonly account: RedisAccount
  /** Undefined: not encrypted. */
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> | undefined
  readonly database: number
  /** Milliseconds until Redis counts as away when it does not answer. */
  readonly timeout: number
}

/** What is used of the three clients of the library. */
export interface RedisClient {
  connect(): Promise<unknown>
  destroy(): unknown
  evalSha(sha: string, call: ScriptCall): Promise<unknown>
  eval(script: string, call: ScriptCall): Promise<unknown>
  info(section: string): Promise<unknown>
  subscribe(channel: string, listener: () => void): Promise<unknown>
  on(event: 'error' | 'end' | 'terminated', listener: (error?: Error) => void): unknown
}

export interface ScriptCall {
  readonly keys: string[]
  readonly arguments: (string | Buffer)[]
}

/** Values are always read as bytes. */
const TYPE_MAPPING = { [RESP_TYPES.BLOB_STRING]: Buffer }

/**
 * A client that is not connected yet. It is given up when it fails, and another is made: what a server, its Sentinels
 * or a cluster were before the failure may be wrong after it.
 */
export function createRedisClient(options: RedisOptions): RedisClient {
  const { place, account, tls, database, timeout } = options
  const socket = {
    connectTimeout: timeout,
    reconnectStrategy: false as const,
    ...(tls && { tls: true as const, ...tls }),
  }
  const common = {
    socket,
    ...withoutAbsent(account),
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled' as const,
  }
  const commandOptions = { typeMapping: TYPE_MAPPING }
  switch (place.kind) {
    case 'server':
      return createClient({
        ...common,
        commandOptions,
        socket: { ...socket, ...place.server },
        ...(database > 0 && { database }),
      }) as unknown as RedisClient
    case 'sentinels':
      return createSentinel({
        name: place.name,
        sentinelRootNodes: [...place.sentinels],
        nodeClientOptions: { ...common, ...(database > 0 && { database }) },
        sentinelClientOptions: { socket, ...withoutAbsent(place.account) },
        commandOptions,
        passthroughClientErrorEvents: true,
        // Without it a request may wait until no other is under way, which is never on a busy gateway.
        reserveClient: true,
        scanInterval: timeout,
      }) as unknown as RedisClient
    case 'cluster':
      return createCluster({
        rootNodes: place.nodes.map((node) => ({ ...common, socket: { ...socket, ...node } })),
        defaults: common,
        commandOptions,
        minimizeConnections: true,
      }) as unknown as RedisClient
  }
}

/** For messages: without credentials. */
export function nameOfPlace(place: RedisPlace): string {
  const names = (hosts: readonly RedisHost[]): string =>
    hosts.map(({ host, port }) => `${host}:${port}`).join(', ')
  if (place.kind === 'server') return `Redis at ${names([place.server])}`
  if (place.kind === 'cluster') return `The Redis cluster at ${names(place.nodes)}`
  return `Redis "${place.name}" of the Sentinels at ${names(place.sentinels)}`
}

function withoutAbsent({ username, password }: RedisAccount): { username?: string; password?: string } {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
}
