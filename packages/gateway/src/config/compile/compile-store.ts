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
  type StoreModel,
} from '../../model/index.ts'
import type { RawConfig, RawRedis } from '../raw-config.ts'
import type { CompileContext } from './compile-context.ts'
import { bytes, duration } from './compile-server.ts'

const PATH = ['store', 'redis']
const REDIS_PORT = 6379
const SENTINEL_PORT = 26_379
const PLACES = ['url', 'sentinels', 'nodes'] as const
const NOWHERE: RedisPlaceModel = { kind: 'cluster', nodes: [] }

export function compileStore(
  raw: NonNullable<RawConfig['store']>,
  stateDir: string,
  context: CompileContext,
): StoreModel {
  const maxBytes = bytes(raw.maxSize, '512mb')
  if (raw.redis) {
    for (const key of ['kind', 'path'] as const) {
      if (raw[key] === undefined) continue
      const message = `"${key}" is for a store on this machine, and "redis" names another`
      context.report({ code: 'misplaced-key', path: ['store', key], part: 'key', message, fix: 'Remove one' })
    }
    return compileRedis(raw.redis, maxBytes, context)
  }
  if (raw.kind === 'memory') return { kind: 'memory' }
  const path =
    raw.path === undefined
      ? join(stateDir, 'store.mdb')
      : context.toAbsolute(context.plain(raw.path, ['store', 'path']))
  return { kind: 'embedded', path, maxBytes }
}

function compileRedis(raw: RawRedis, maxBytes: number, context: CompileContext): RedisModel {
  const address = raw.url === undefined ? undefined : compileUrl(raw.url, context)
  const account = compileAccount(raw, 'username', 'password', context)
  const database = raw.database ?? address?.database ?? 0
  if (raw.nodes && database > 0) {
    const message = 'A Redis cluster has one database, number 0'
    context.report({ code: 'invalid-value', path: [...PATH, 'database'], message, fix: 'Remove it' })
  }
  return {
    kind: 'redis',
    maxBytes,
    place: compilePlace(raw, address?.server, context),
    account: {
      username: account.username ?? address?.account.username,
      password: account.password ?? address?.account.password,
    },
    tls: compileTls(raw.tls ?? address?.isSecure ?? false, context),
    database,
    prefix: raw.prefix ?? 'gantry',
    timeout: duration(raw.timeout, '2s'),
  }
}

function compilePlace(
  raw: RawRedis,
  server: HostModel | undefined,
  context: CompileContext,
): RedisPlaceModel {
  const named = PLACES.filter((key) => raw[key] !== undefined)
  if (named.length !== 1) {
    context.report({
      code: named.length === 0 ? 'missing-key' : 'misplaced-key',
      path: PATH,
      part: 'key',
      message:
        named.length === 0
          ? 'Nothing says where Redis is'
          : `${named.map((key) => `"${key}"`).join(' and ')} name different servers`,
      fix: 'Set one of "url" (one server), "sentinels" (with "masterName") or "nodes" (a cluster)',
    })
    return NOWHERE
  }
  if (raw.nodes) return { kind: 'cluster', nodes: compileHosts(raw.nodes, 'nodes', REDIS_PORT, context) }
  if (!raw.sentinels) return server ? { kind: 'server', server } : NOWHERE
  if (raw.masterName === undefined) {
    const message = 'The Sentinels have to be told which server is meant'
    const fix = 'Set "masterName" as in "sentinel monitor NAME …"'
    context.report({ code: 'missing-key', path: PATH, part: 'key', message, fix })
  }
  return {
    kind: 'sentinels',
    sentinels: compileHosts(raw.sentinels, 'sentinels', SENTINEL_PORT, context),
    name: raw.masterName ?? '',
    account: compileAccount(raw, 'sentinelUsername', 'sentinelPassword', context),
  }
}

function compileHosts(
  texts: readonly string[],
  key: 'sentinels' | 'nodes',
  port: number,
  context: CompileContext,
): HostModel[] {
  return texts.map((text, index) => {
    const path = [...PATH, key, index]
    const host = parseUrl(`redis://${context.plain(text, path)}`)
    if (host && host.hostname !== '' && host.username === '' && /^\/?$/.test(host.pathname)) {
      return { host: withoutBrackets(host.hostname), port: host.port === '' ? port : Number(host.port) }
    }
    const fix = `Write it as HOST:PORT, such as redis-1.internal:${port}`
    context.report({ code: 'invalid-value', path, message: 'This is no address of a server', fix })
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
function compileUrl(text: string, context: CompileContext): Address | undefined {
  const path = [...PATH, 'url']
  const before = context.problems.length
  const url = parseUrl(reveal(context.text(text, path)))
  if (context.problems.length > before) return undefined
  const [, database] = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '') ?? []
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || database === undefined) {
    const message = 'This is no address of a Redis server'
    const fix = 'Write it as redis://HOST:PORT, or rediss://HOST:PORT with TLS'
    context.report({ code: 'invalid-value', path, message, fix })
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
  raw: RawRedis,
  user: 'username' | 'sentinelUsername',
  password: 'password' | 'sentinelPassword',
  context: CompileContext,
): RedisAccountModel {
  return {
    username: raw[user] === undefined ? undefined : context.plain(raw[user], [...PATH, user]),
    password:
      raw[password] === undefined ? undefined : context.credential(raw[password], [...PATH, password]),
  }
}

function compileTls(raw: NonNullable<RawRedis['tls']>, context: CompileContext): RedisModel['tls'] {
  if (raw === false) return undefined
  const file = (key: 'ca' | 'cert' | 'key'): string | undefined => {
    const text = raw === true ? undefined : raw[key]
    return text === undefined ? undefined : context.toAbsolute(context.plain(text, [...PATH, 'tls', key]))
  }
  return { ca: file('ca'), cert: file('cert'), key: file('key') }
}
