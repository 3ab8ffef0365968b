import type { SecureContextOptions } from 'node:tls'
import { createClient, createCluster, RESP_TYPES } from '@redis/client'
import type { NodeClient, RedisClient, RedisHost } from './redis-client.ts'
import { SentinelClient } from './sentinels.ts'

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

/** Milliseconds until a Sentinel whose connection was lost is connected again. */
const SENTINEL_PAUSE = 1_000

/** Values are always read as bytes. */
const TYPE_MAPPING = { [RESP_TYPES.BLOB_STRING]: Buffer }

/**
 * A client that is not connected yet. When it fails, it is given up and another is made: the server, Sentinels or
 * cluster that it knew may be wrong after the failure.
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
  const serverAt = (host: RedisHost): RedisClient =>
    createClient({
      ...common,
      commandOptions,
      socket: { ...socket, ...host },
      ...(database > 0 && { database }),
    }) as unknown as RedisClient
  switch (place.kind) {
    case 'server':
      return serverAt(place.server)
    case 'sentinels':
      return new SentinelClient({
        name: place.name,
        sentinels: place.sentinels.map((host) => sentinelAt(host, place.account, socket)),
        clientOf: (host) => serverAt(host) as NodeClient,
        interval: timeout,
      })
    case 'cluster':
      return createCluster({
        rootNodes: place.nodes.map((node) => ({ ...common, socket: { ...socket, ...node } })),
        defaults: common,
        commandOptions,
        minimizeConnections: true,
      }) as unknown as RedisClient
  }
}

/** Fails, and says why, when the first connection fails. A connection that breaks later is made again automatically. */
function sentinelAt(host: RedisHost, account: RedisAccount, common: object): NodeClient {
  let wasReached = false
  const reconnectStrategy = (): number | false => wasReached && SENTINEL_PAUSE
  const socket = { ...common, ...host, reconnectStrategy }
  const client = createClient({ socket, ...withoutAbsent(account), disableOfflineQueue: true })
  client.once('ready', () => {
    wasReached = true
  })
  return client as unknown as NodeClient
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
