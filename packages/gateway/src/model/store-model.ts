import type { Secret } from './secret.ts'

export type StoreModel =
  | { readonly kind: 'memory' }
  | { readonly kind: 'embedded'; readonly path: string; readonly maxBytes: number }
  | RedisModel

export interface RedisModel {
  readonly kind: 'redis'
  readonly maxBytes: number
  readonly place: RedisPlaceModel
  readonly account: RedisAccountModel
  /** Files; undefined: not encrypted. */
  readonly tls:
    | {
        readonly ca: string | undefined
        readonly cert: string | undefined
        readonly key: string | undefined
      }
    | undefined
  readonly database: number
  /** In front of all keys, in braces. */
  readonly prefix: string
  /** In milliseconds. */
  readonly timeout: number
}

export interface RedisAccountModel {
  readonly username: string | undefined
  readonly password: Secret | undefined
}

export interface HostModel {
  readonly host: string
  readonly port: number
}

export type RedisPlaceModel =
  | { readonly kind: 'server'; readonly server: HostModel }
  | {
      readonly kind: 'sentinels'
      readonly sentinels: readonly HostModel[]
      readonly name: string
      readonly account: RedisAccountModel
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly HostModel[] }
