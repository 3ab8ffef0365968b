import { join } from 'node:path'
import { parseUrl } from '@gantry/mcp/foreign'
import {
  decodePercent,
  reveal,
  Secret,
  withoutBrackets,
  type HostModel,
  type RedisAccountModel,
  type RedisModel,
  type RedisPlaceModel,
  type RawStore,
  type RedisSettings,
  type StoreModel,
  type StoreSettings,
} from '../../model/index.ts'
import type { Section } from './section.ts'

type Redis = Section<RedisSettings>

const REDIS_PORT = 6379
const SENTINEL_PORT = 26_379
const PLACES = ['url', 'sentinels', 'nodes'] as const
const NOWHERE: RedisPlaceModel = { kind: 'cluster', nodes: [] }

export function compileStore(
  section: Section<StoreSettings>,
  raw: RawStore | undefined,
  stateDir: string,
): StoreModel {
  const { kind, maxSize: maxBytes, redis } = section.value
  if (redis) {
    for (const key of ['kind', 'path'] as const) {
      if (raw?.[key] === undefined) continue
      const message = `"${key}" is for a store on this machine, and "redis" names another`
      section.report({ code: 'misplaced-key', part: 'key', message, fix: 'Remove one' }, key)
    }
    return compileRedis(section.at('redis'), raw?.redis?.database, maxBytes)
  }
  if (kind === 'memory') return { kind }
  return { kind, path: section.file('path') ?? join(stateDir, 'store.mdb'), maxBytes }
}

function compileRedis(section: Redis, ownDatabase: number | undefined, maxBytes: number): RedisModel {
  const { nodes, tls, prefix, timeout } = section.value
  const address = compileUrl(section)
  const account = compileAccount(section, 'username', 'password')
  const database = ownDatabase ?? address?.database ?? 0
  if (nodes && database > 0) {
    const message = 'A Redis cluster has one database, number 0'
    section.report({ code: 'invalid-value', message, fix: 'Remove it' }, 'database')
  }
  return {
    kind: 'redis',
    maxBytes,
    place: compilePlace(section, address?.server),
    account: {
      username: account.username ?? address?.account.username,
      password: account.password ?? address?.account.password,
    },
    tls: compileTls(tls ?? address?.isSecure ?? false, section),
    database,
    prefix,
    timeout,
  }
}

function compilePlace(section: Redis, server: HostModel | undefined): RedisPlaceModel {
  const { nodes, sentinels, masterName: name = '' } = section.value
  const named = PLACES.filter((key) => section.value[key] !== undefined)
  if (named.length !== 1) {
    section.report({
      code: named.length === 0 ? 'missing-key' : 'misplaced-key',
      part: 'key',
      message:
        named.length === 0
          ? 'Nothing says where Redis is'
          : `${named.map((key) => `"${key}"`).join(' and ')} name different servers`,
      fix: 'Set one of "url" (one server), "sentinels" (with "masterName") or "nodes" (a cluster)',
    })
    return NOWHERE
  }
  if (nodes) return { kind: 'cluster', nodes: compileHosts(section.at('nodes'), REDIS_PORT) }
  if (!sentinels) return server ? { kind: 'server', server } : NOWHERE
  if (name === '') {
    const message = 'The Sentinels have to be told which server is meant'
    const fix = 'Set "masterName" as in "sentinel monitor NAME …"'
    section.report({ code: 'missing-key', part: 'key', message, fix })
  }
  return {
    kind: 'sentinels',
    sentinels: compileHosts(section.at('sentinels'), SENTINEL_PORT),
    name,
    account: compileAccount(section, 'sentinelUsername', 'sentinelPassword'),
  }
}

function compileHosts(section: Section<readonly string[]>, port: number): HostModel[] {
  return section.value.map((text, index) => {
    const host = parseUrl(`redis://${section.context.plain(text, [...section.path, index])}`)
    if (host && host.hostname !== '' && host.username === '' && /^\/?$/.test(host.pathname)) {
      return { host: withoutBrackets(host.hostname), port: host.port === '' ? port : Number(host.port) }
    }
    const fix = `Write it as HOST:PORT, such as redis-1.internal:${port}`
    section.report({ code: 'invalid-value', message: 'This is not the address of a server', fix }, index)
    return { host: '', port }
  })
}

interface Address {
  readonly server: HostModel
  readonly account: RedisAccountModel
  readonly database: number | undefined
  readonly isSecure: boolean
}

/** The text may be secret as a whole, so messages do not show it. */
function compileUrl(section: Redis): Address | undefined {
  const { value: text, isResolved } = section.context.attempt(() => section.text('url'))
  if (text === undefined || !isResolved) return undefined
  const url = parseUrl(reveal(text))
  const [, database] = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '') ?? []
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || database === undefined) {
    const message = 'This is not the address of a Redis server'
    const fix = 'Write it as redis://HOST:PORT, or rediss://HOST:PORT with TLS'
    section.report({ code: 'invalid-value', message, fix }, 'url')
    return undefined
  }
  const password = decodePercent(url.password)
  return {
    server: {
      host: withoutBrackets(url.hostname),
      port: url.port === '' ? REDIS_PORT : Number(url.port),
    },
    account: {
      username: url.username === '' ? undefined : decodePercent(url.username),
      password: password === '' ? undefined : new Secret(password),
    },
    database: database === '' ? undefined : Number(database),
    isSecure: url.protocol === 'rediss:',
  }
}

function compileAccount(
  section: Redis,
  user: 'username' | 'sentinelUsername',
  password: 'password' | 'sentinelPassword',
): RedisAccountModel {
  return { username: section.plain(user), password: section.credential(password) }
}

function compileTls(tls: NonNullable<RedisSettings['tls']>, section: Redis): RedisModel['tls'] {
  if (tls === false) return undefined
  if (tls === true) return { ca: undefined, cert: undefined, key: undefined }
  const files = section.at('tls').narrow(tls)
  return { ca: files.file('ca'), cert: files.file('cert'), key: files.file('key') }
}
