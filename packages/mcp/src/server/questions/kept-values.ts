import { McpError, writeJson } from '../../jsonrpc/index.ts'
import type { Duration, parseDuration } from '../../protocol/parse-duration.ts'
import type { Store } from '../store.ts'
import type { Questions } from './questions.ts'

/** Values that one caller finds again in its next calls, whatever tool it calls. */
export interface CallerState {
  get<T = unknown>(key: string): Promise<T | undefined>
  /** Keeps anything that JSON can hold, for a day unless `ttl` says otherwise. */
  set(key: string, value: unknown, options?: { ttl?: Duration }): Promise<void>
  delete(key: string): Promise<void>
}

/** Its services. This file is loaded apart, so it imports little. */
export interface StateHost {
  /** Undefined when nothing tells this caller from others. */
  readonly owner: string | undefined
  readonly store: Store
  readonly parseDuration: typeof parseDuration
  step: Questions['step']
}

const DAY = 24 * 60 * 60 * 1000
/** A value is read and written as a whole: what is longer belongs into a database. */
const MOST_CHARACTERS = 1024 * 1024

/**
 * `ctx.state` on a store. Reads and writes are steps: a handler that is run again for its next answer sees what it saw
 * before, and writes once. Loaded when it is first used.
 */
export function keptValues({ owner, store, step, parseDuration }: StateHost): CallerState {
  if (owner === undefined) {
    throw new McpError(
      'unsupported',
      'ctx.state has no caller to keep values for: there is neither a principal nor a session. Put a guard before the server',
    )
  }
  const name = (key: string): string => `state ${JSON.stringify([owner, key])}`
  return {
    async get<T>(key: string) {
      const text = await step(`ctx.state.get ${key}`, async () => (await store.get(name(key))) ?? null)
      return text === null ? undefined : (JSON.parse(text) as T)
    },
    async set(key, value, { ttl = DAY } = {}) {
      const text = writeJson(value) as string | undefined
      if (text === undefined) {
        throw new McpError('invalid_argument', `ctx.state cannot keep "${key}": JSON has no form for it`)
      }
      if (text.length > MOST_CHARACTERS) {
        const message = `ctx.state keeps up to ${MOST_CHARACTERS} characters under one key; "${key}" has ${text.length}`
        throw new McpError('too_large', message)
      }
      await step(`ctx.state.set ${key}`, () => store.set(name(key), text, parseDuration(ttl)))
    },
    async delete(key) {
      await step(`ctx.state.delete ${key}`, () => store.delete(name(key)))
    },
  }
}
