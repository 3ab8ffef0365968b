import {
  complete,
  failure,
  isJsonObject,
  jsonOf,
  PARTIAL_CONTENT,
  ProtocolError,
  withPlainNumbers,
  type JsonObject,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import { compileSchema, type CompiledSchema } from '@gantry/mcp/schema'
import type { ResultRule } from '../../model/index.ts'
import { toFailure } from '../to-failure.ts'
import type { Ask, GatewayExchange, Hears, Resolved } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { RefusedResult } from './refused-result.ts'
import { ResultCleaner } from './result-cleaner.ts'
import { forEachObject, isAbout } from './result-handling.ts'
import type { ResultFindings } from './result-findings.ts'

const UNTRUSTED = 'dev.gantry/untrusted'

/** What rules do with the results of one object. */
interface Handling {
  readonly cleaner: ResultCleaner
  readonly isUntrusted: boolean
  /** A notification as it may be sent; undefined when it is refused. */
  readonly hears: Hears
  /** A question that is refused fails the call. */
  readonly asks: (this: void, ask: Ask) => Ask
  /** A message as it may be shown and kept. */
  cleanMessage(this: void, message: unknown): unknown
}

/**
 * Takes out of everything that a target says what its caller may not have: results, errors, notifications, questions
 * and tasks. It stands next to the target, so that nothing is kept or shown before it is clean.
 */
export function resultsLink(rules: readonly ResultRule[], findings: ResultFindings): Link | undefined {
  if (rules.length === 0) return undefined
  const handlings = new Map<string, Handling | undefined>()
  const handlingBy = (own: readonly ResultRule[]): Handling | undefined => {
    const key = own.map((rule) => rules.indexOf(rule)).join()
    if (!handlings.has(key)) handlings.set(key, own.length === 0 ? undefined : handle(own, findings))
    return handlings.get(key)
  }
  const handlingOf = forEachObject((called) => handlingBy(rules.filter((rule) => isAbout(rule, called))))
  return async (exchange, next) => {
    const handling = exchange.resolved ? handlingOf(exchange.resolved) : handlingBy(rules)
    if (!handling) return next()
    exchange.hear(handling.hears)
    exchange.askThrough(handling.asks)
    if (exchange.record) exchange.record.clean = handling.cleanMessage
    let outcome: Outcome
    try {
      outcome = await next()
    } catch (thrown) {
      outcome = toFailure(thrown)
    }
    return cleanOutcome(outcome, exchange, handling)
  }
}

function handle(rules: readonly ResultRule[], findings: ResultFindings): Handling {
  const cleaner = new ResultCleaner(rules, (name, action) => findings.add(name, action))
  return {
    cleaner,
    isUntrusted: rules.some(({ untrusted }) => untrusted),
    hears: (notification) => {
      const heard = withoutPiece(notification)
      const clean = quietly(() => cleaner.clean<Notification>(heard, { given: subscribed(notification) }))
      return clean && isWhole(clean, heard) ? clean : undefined
    },
    asks: (ask) => async (questions, signal) => ask(cleaner.clean(questions), signal),
    cleanMessage: (message) => quietly(() => cleaner.clean(message)) ?? { withheld: true },
  }
}

/**
 * Whether a notification may be sent as it is now. Structured content without what is masked has to fit its schema, and
 * that is found out when the client asks for the task.
 */
function isWhole({ params: clean }: Notification, { params: heard }: Notification): boolean {
  if (!clean || !heard || clean === heard) return true
  return madeIn(clean).structuredContent === madeIn(heard).structuredContent
}

/** The URI of a changed resource is the URI that the caller has subscribed to. */
function subscribed({ method, params }: Notification): string | undefined {
  const uri = method === 'notifications/resources/updated' ? params?.uri : undefined
  return typeof uri === 'string' ? uri : undefined
}

/** Progress without the piece of the result: what has to be hidden could begin in one piece and end in the next. */
function withoutPiece(notification: Notification): Notification {
  const { params } = notification
  const meta = params?._meta
  if (!isJsonObject(meta) || !(PARTIAL_CONTENT in meta)) return notification
  const { [PARTIAL_CONTENT]: _, ...rest } = meta
  return { ...notification, params: { ...params, _meta: rest } }
}

function quietly<T>(clean: () => T): T | undefined {
  try {
    return clean()
  } catch {
    return undefined
  }
}

function cleanOutcome(
  outcome: Outcome,
  exchange: GatewayExchange,
  handling: Handling,
): Outcome | Promise<Outcome> {
  const { cleaner } = handling
  switch (outcome.type) {
    case 'complete': {
      const json = handling.isUntrusted ? undefined : jsonOf(outcome)
      const isClean = json !== undefined && handling.cleaner.isCleanJson(json)
      return isClean ? outcome : cleanResult(outcome, exchange, handling)
    }
    case 'error': {
      const { code, message, data } = outcome.error
      const said = {
        message,
        data,
        cause: outcome.cause instanceof Error ? outcome.cause.message : undefined,
      }
      const clean = cleaner.clean(said)
      if (clean === said) return outcome
      return failure(
        new ProtocolError(code, clean.message, clean.data),
        new Error(clean.cause ?? clean.message),
      )
    }
    case 'input_required':
      return cleaner.clean(outcome)
    case 'task':
      return cleaner.clean(outcome)
  }
}

async function cleanResult(
  outcome: Outcome & { type: 'complete' },
  { resolved, params }: GatewayExchange,
  { cleaner, isUntrusted }: Handling,
): Promise<Outcome> {
  const schema = resolved && schemaOf(resolved)
  const given = typeof params.uri === 'string' ? params.uri : undefined
  const result = cleaner.clean(outcome.result, { given, schema })
  if (result !== outcome.result) await requireFit(madeIn(result), madeIn(outcome.result), schema)
  // Passes on the parsed value and not the text that it came in: the text may have a member twice.
  if (!isUntrusted) return complete(result)
  const made = madeIn(result)
  return complete(marked(made === result ? result : { ...result, result: marked(made) }))
}

function marked(result: JsonObject): JsonObject {
  return { ...result, _meta: { ...(result._meta as JsonObject | undefined), [UNTRUSTED]: true } }
}

/** The schema of a tool's structured content, also where a task of the tool is asked about. */
function schemaOf({ entry, kind, catalog, name }: Resolved): JsonObject | undefined {
  const item = entry?.item ?? (kind === 'tools' ? listed(catalog, name) : undefined)
  return item?.outputSchema as JsonObject | undefined
}

function listed({ snapshot }: Resolved['catalog'], name: string): JsonObject | undefined {
  return snapshot?.tools.find((one) => one.name === name)
}

/** The result of a call, also where a task tells it. */
function madeIn(answer: JsonObject): JsonObject {
  return typeof answer.taskId === 'string' && isJsonObject(answer.result) ? answer.result : answer
}

const compiled = new WeakMap<JsonObject, CompiledSchema>()

/** Structured content that no longer fits its schema would be refused by the client, with the reason for it. */
async function requireFit(
  result: JsonObject,
  before: JsonObject,
  schema: JsonObject | undefined,
): Promise<void> {
  const { structuredContent } = result
  if (!schema || structuredContent === before.structuredContent) return
  let check = compiled.get(schema)
  if (!check) {
    check = compileSchema(schema, { io: 'output', trust: 'foreign' })
    compiled.set(schema, check)
  }
  const { ok } = await check.validate(withPlainNumbers(structuredContent))
  if (!ok) throw new RefusedResult('without what is masked it would not fit its schema')
}
