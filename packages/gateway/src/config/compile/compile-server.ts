import { availableParallelism } from 'node:os'
import { parseUrl } from '@gantry/mcp/foreign'
import {
  type ClusterModel,
  isLoopbackHost,
  repeatsItself,
  type Secret,
  type ServerModel,
  type ServerSettings,
  withoutBrackets,
} from '../../model/index.ts'
import type { Section } from './section.ts'

const SHORTEST_SEALING_KEY = 32
/** Where a variable for the port is empty. */
const DEFAULT_PORT = 7332

/** Settings of the server from the command line. They win over the file. */
export interface ServerOverrides {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly workers?: number | 'auto' | undefined
}

export function compileServer(section: Section<ServerSettings>, overrides: ServerOverrides): ServerModel {
  const { tls, allowedOrigins, allowedHosts, drainDelay, shutdownGrace, limits, ...rest } = section.value
  const host = compileHost(overrides.host ?? section.plain('host'), section)
  return {
    host,
    port: overrides.port ?? compilePort(section),
    loopback: isLoopbackHost(host),
    publicUrl: section.plain('publicUrl'),
    tls: tls && { cert: section.at('tls').file('cert'), key: section.at('tls').file('key') },
    allowedOrigins,
    allowedHosts,
    console: rest.console,
    name: section.plain('name'),
    title: section.plain('title'),
    instructions: section.plain('instructions'),
    sealingKeys: rest.sealingKeys.map((_, index) => compileSealingKey(section.at('sealingKeys'), index)),
    drainDelay,
    shutdownGrace,
    limits,
    workers: workersOf(overrides.workers ?? rest.workers),
    cluster: rest.cluster && compileCluster(section.at('cluster')),
  }
}

function compileCluster(section: Section<NonNullable<ServerSettings['cluster']>>): ClusterModel {
  const { host, port, tls } = section.value
  const address = section.plain('address')
  const scheme = tls ? 'https:' : 'http:'
  if (address && parseUrl(address)?.protocol !== scheme) {
    const message = `The address of a gateway ${tls ? 'with' : 'without'} "tls" begins with ${scheme}//`
    section.report({ code: 'invalid-value', message, fix: `Write it as ${scheme}//HOST:PORT` }, 'address')
  }
  const files = tls && section.at('tls')
  return {
    host,
    port,
    address,
    tls: files && {
      cert: files.file('cert'),
      key: files.file('key'),
      ca: files.file('ca'),
      name: files.plain('name'),
    },
  }
}

function workersOf(count: number | 'auto'): number {
  return count === 'auto' ? availableParallelism() : count
}

/** A caller with the key is let in as its owner, so it must not be easy to guess. */
function compileSealingKey(section: Section<readonly string[]>, index: number): Secret {
  const { context, value, path } = section
  const { value: key, isResolved } = context.attempt(() => context.secret(value[index]!, [...path, index]))
  const weakness = weaknessOf(key.reveal().trim())
  if (isResolved && weakness !== undefined) {
    const message = `The sealing key ${weakness}`
    section.report({ code: 'weak-key', message, fix: 'Make one with: openssl rand -base64 32' }, index)
  }
  return key
}

function weaknessOf(key: string): string | undefined {
  if (key === '') return 'is empty'
  if (key.length < SHORTEST_SEALING_KEY)
    return `has ${key.length} characters, and ${SHORTEST_SEALING_KEY} are the least`
  return repeatsItself(key) ? 'repeats itself, so that it can be guessed' : undefined
}

/** For sockets, an empty host means every network interface. A user who leaves the host empty does not ask for that. */
function compileHost(text: string, section: Section<ServerSettings>): string {
  const host = withoutBrackets(text.trim())
  if (host !== '') return host
  section.report(
    {
      code: 'invalid-value',
      message: 'The host is empty, which would listen on every network interface',
      fix: 'Remove it to listen on 127.0.0.1; every interface is 0.0.0.0, with "auth"',
    },
    'host',
  )
  return '127.0.0.1'
}

function compilePort(section: Section<ServerSettings>): number {
  const raw = section.value.port
  if (typeof raw === 'number') return raw
  const text = section.context.plain(raw, [...section.path, 'port'])
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65535) return port
  if (text !== '') {
    section.report(
      { code: 'invalid-value', message: `${raw} is not a port`, fix: 'Set it to 0 … 65535' },
      'port',
    )
  }
  return DEFAULT_PORT
}
