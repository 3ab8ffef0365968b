import { availableParallelism } from 'node:os'
import { parseUrl } from '@gantry/mcp/foreign'
import {
  isLoopbackHost,
  readByteSize,
  readDuration,
  repeatsItself,
  withoutBrackets,
} from '../../model/index.ts'
import type { ClusterModel, LimitsModel, Secret, ServerModel } from '../../model/index.ts'
import type { CompileContext } from './compile-context.ts'
import type { RawServer } from '../raw-config.ts'
import type { Quantity } from '../raw-values.ts'

const SHORTEST_SEALING_KEY = 32

/** What the command line has to say about the server; it goes before the file. */
export interface ServerOverrides {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly workers?: number | 'auto' | undefined
}

const DEFAULT_HOST = '127.0.0.1'

export function compileServer(
  raw: RawServer,
  context: CompileContext,
  overrides: ServerOverrides,
): ServerModel {
  const text = (key: 'host' | 'publicUrl' | 'name' | 'title' | 'instructions') =>
    raw[key] === undefined ? undefined : context.plain(raw[key], ['server', key])
  const host = compileHost(overrides.host ?? text('host') ?? DEFAULT_HOST, context)
  return {
    host,
    port: overrides.port ?? compilePort(raw.port, context),
    loopback: isLoopbackHost(host),
    publicUrl: text('publicUrl'),
    tls: raw.tls && {
      cert: context.toAbsolute(context.plain(raw.tls.cert, ['server', 'tls', 'cert'])),
      key: context.toAbsolute(context.plain(raw.tls.key, ['server', 'tls', 'key'])),
    },
    allowedOrigins: raw.allowedOrigins ?? [],
    allowedHosts: raw.allowedHosts ?? [],
    console: raw.console ?? true,
    name: text('name') ?? 'gantry',
    title: text('title'),
    instructions: text('instructions'),
    sealingKeys: (raw.sealingKeys ?? []).map((key, index) => compileSealingKey(key, index, context)),
    drainDelay: duration(raw.drainDelay, '1s'),
    shutdownGrace: duration(raw.shutdownGrace, '10s'),
    limits: compileLimits(raw.limits ?? {}),
    workers: workersOf(overrides.workers ?? raw.workers ?? 1),
    cluster: raw.cluster && compileCluster(raw.cluster, context),
  }
}

function compileCluster(raw: NonNullable<RawServer['cluster']>, context: CompileContext): ClusterModel {
  const path = ['server', 'cluster']
  const address = raw.address && context.plain(raw.address, [...path, 'address'])
  const { tls } = raw
  const scheme = tls ? 'https:' : 'http:'
  if (address && parseUrl(address)?.protocol !== scheme) {
    const message = `The address of a gateway ${tls ? 'with' : 'without'} "tls" begins with ${scheme}//`
    context.report({
      code: 'invalid-value',
      path: [...path, 'address'],
      message,
      fix: `Write it as ${scheme}//HOST:PORT`,
    })
  }
  const file = (key: 'cert' | 'key' | 'ca'): string =>
    context.toAbsolute(context.plain(tls![key], [...path, 'tls', key]))
  return {
    host: raw.host ?? DEFAULT_HOST,
    port: raw.port ?? 0,
    address,
    tls: tls && {
      cert: file('cert'),
      key: file('key'),
      ca: file('ca'),
      name: tls.name && context.plain(tls.name, [...path, 'tls', 'name']),
    },
  }
}

function workersOf(count: number | 'auto'): number {
  return count === 'auto' ? availableParallelism() : count
}

/** A caller with the key is let in as its owner, so it must not be easy to guess. */
function compileSealingKey(raw: string, index: number, context: CompileContext): Secret {
  const path = ['server', 'sealingKeys', index]
  const before = context.problems.length
  const key = context.secret(raw, path)
  const weakness = weaknessOf(key.reveal().trim())
  if (context.problems.length === before && weakness !== undefined) {
    const message = `The sealing key ${weakness}`
    context.report({ code: 'weak-key', path, message, fix: 'Make one with: openssl rand -base64 32' })
  }
  return key
}

function weaknessOf(key: string): string | undefined {
  if (key === '') return 'is empty'
  if (key.length < SHORTEST_SEALING_KEY)
    return `has ${key.length} characters, and ${SHORTEST_SEALING_KEY} are the least`
  return repeatsItself(key) ? 'repeats itself, so that it can be guessed' : undefined
}

function compileLimits(raw: NonNullable<RawServer['limits']>): LimitsModel {
  return {
    bodyBytes: bytes(raw.bodyBytes, '16mb'),
    bodyTimeout: duration(raw.bodyTimeout, '1m'),
    receivingBytes: bytes(raw.receivingBytes, '128mb'),
    resultBytes: bytes(raw.resultBytes, '64mb'),
    unreadBytes: bytes(raw.unreadBytes, '256mb'),
    eventBytes: bytes(raw.eventBytes, '64mb'),
    stallTimeout: duration(raw.stallTimeout, '30s'),
    sessions: raw.sessions ?? 10_000,
    sessionIdle: duration(raw.sessionIdle, '1h'),
    subscriptions: raw.subscriptions ?? 20_000,
    subscriptionsPerRequest: raw.subscriptionsPerRequest ?? 1000,
    requestsInFlight: raw.requestsInFlight ?? 2000,
    parkedCalls: raw.parkedCalls ?? 1000,
    parkedFor: duration(raw.parkedFor, '10m'),
    startingTargets: raw.startingTargets ?? 4,
    callerShare: raw.callerShare ?? 0.5,
  }
}

/** Sockets take an empty host for every network interface: a user who leaves it empty does not ask for that. */
function compileHost(text: string, context: CompileContext): string {
  const host = withoutBrackets(text.trim())
  if (host !== '') return host
  context.report({
    code: 'invalid-value',
    path: ['server', 'host'],
    message: 'The host is empty, which would listen on every network interface',
    fix: 'Remove it to listen on 127.0.0.1; every interface is 0.0.0.0, with "auth"',
  })
  return DEFAULT_HOST
}

function compilePort(raw: number | string | undefined, context: CompileContext): number {
  if (typeof raw !== 'string') return raw ?? 7332
  const text = context.plain(raw, ['server', 'port'])
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65535) return port
  if (text !== '') {
    const message = `${raw} is not a port`
    context.report({ code: 'invalid-value', path: ['server', 'port'], message, fix: 'Set it to 0 … 65535' })
  }
  return 7332
}

/** The schema has seen to it that the text is a duration. */
export function duration(raw: Quantity | undefined, fallback: Quantity): number {
  return readDuration(raw ?? fallback) ?? readDuration(fallback) ?? 0
}

export function bytes(raw: Quantity | undefined, fallback: Quantity): number {
  return readByteSize(raw ?? fallback) ?? readByteSize(fallback) ?? 0
}
