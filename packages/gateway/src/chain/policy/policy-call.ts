import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import type { PolicyCall } from '../../rules/facts.ts'
import type { Work } from '../../rules/work.ts'
import type { Called, CallerCatalog } from './caller-catalog.ts'

interface Request {
  readonly method: string
  readonly params: JsonObject
  readonly resolved: Called
}

/**
 * The facts of a request for rules. Undefined for a request that only asks about something that was permitted before: a
 * completion, or news of a task. It is permitted like an entry of a list. `payer` pays for what rules evaluate.
 */
export function policyCall({ method, params, resolved }: Request, payer?: Payer): PolicyCall | undefined {
  if (method === 'completion/complete' || method.startsWith('tasks/')) return undefined
  return new MadeCall(argsOf(resolved.kind, params), payer)
}

interface Payer {
  readonly work: Work
}

/** Few rules ask for the time. During a call it stands still for them. */
class MadeCall implements PolicyCall {
  readonly args: JsonObject | undefined
  readonly #payer: Payer | undefined
  #now: Date | undefined

  constructor(args: JsonObject | undefined, payer: Payer | undefined) {
    this.args = args
    this.#payer = payer
  }

  get work(): Work | undefined {
    return this.#payer?.work
  }

  get now(): Date {
    this.#now ??= new Date()
    return this.#now
  }
}

/** A rule can judge arguments only when they are an object. */
function argsOf(kind: Called['kind'], params: JsonObject): JsonObject | undefined {
  if (kind === 'methods') return params
  if (kind === 'resources') return {}
  const { arguments: args = {} } = params
  return isJsonObject(args) ? args : undefined
}

/** Whether a request is permitted, apart from how many there were before. */
export function isPermitted(request: Request, visible: CallerCatalog): boolean {
  const call = policyCall(request)
  return call ? visible.verdict(request.resolved, call).allowed : maySee(request, visible)
}

export function maySee(
  { method, resolved: { kind, catalog, name } }: Request,
  visible: CallerCatalog,
): boolean {
  return visible.maySee(kind, catalog, name, method === 'completion/complete' && kind === 'resources')
}
