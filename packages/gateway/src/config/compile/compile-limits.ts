import {
  parseObjectPattern,
  type GatewayModel,
  type ObjectPattern,
  type RateModel,
} from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawConfig, RawRate } from '../raw-config.ts'
import { type Expressions, toFilled } from './compile-conditions.ts'
import type { CompileContext } from './compile-context.ts'
import { warnUnknown } from './compile-policy.ts'
import { duration } from './compile-server.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** What CEL calls a number, or what could be one. */
const NUMBERS: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'dyn'])

export function compileLimits(
  { rates = [], repeatedErrors, retries = [] }: NonNullable<RawConfig['limits']>,
  context: CompileContext,
  targets: readonly string[],
  expressions: Expressions,
): GatewayModel['limits'] {
  reportTwins(rates, context)
  return {
    rates: rates.map((rate, index) => compileRate(rate, index, { context, targets, expressions })),
    repeatedErrors: repeatedErrors && {
      after: repeatedErrors.after ?? 3,
      pause: duration(repeatedErrors.pause, '30s'),
    },
    retries: retries.map((raw, index) => ({
      for: patternsOf(raw.for, ['limits', 'retries', index], context, targets),
      attempts: raw.attempts ?? 1,
      pause: duration(raw.pause, '200ms'),
      hedgeAfter: raw.hedgeAfter === undefined ? undefined : duration(raw.hedgeAfter, '1s'),
    })),
  }
}

interface Services {
  readonly context: CompileContext
  readonly targets: readonly string[]
  readonly expressions: Expressions
}

function compileRate(raw: RawRate, index: number, { context, targets, expressions }: Services): RateModel {
  const path: ConfigPath = ['limits', 'rates', index]
  if (raw.rate === undefined && raw.perDay === undefined && raw.concurrent === undefined) {
    context.report({
      code: 'invalid-value',
      path,
      message: 'This limit has no number',
      fix: 'Add "rate" (such as "30/m"), "perDay" or "concurrent"',
    })
  }
  const cost = toFilled(raw.cost, expressions) ?? { value: 1 }
  if ('expression' in cost && !NUMBERS.has(cost.expression.type)) {
    context.report({
      code: 'invalid-value',
      path: [...path, 'cost', 'expression'],
      message: `A cost has to be a number, and this is of type ${cost.expression.type}`,
      fix: 'Write an expression whose value is a number',
    })
  }
  return {
    name: nameOf(raw, index),
    for: patternsOf(raw.for ?? [], path, context, targets),
    by: raw.by === undefined ? undefined : expressions.get(raw.by),
    rate: raw.rate === undefined ? undefined : compileNumber(raw.rate, raw.burst),
    perDay: raw.perDay,
    concurrent: raw.concurrent,
    cost,
    shared: raw.shared ?? false,
    storeAway: raw.storeAway ?? 'local',
  }
}

function patternsOf(
  texts: readonly string[],
  path: ConfigPath,
  context: CompileContext,
  targets: readonly string[],
): ObjectPattern[] {
  return texts.map((text, at) => {
    const pattern = parseObjectPattern(text)
    warnUnknown({ wanted: pattern.target, known: targets, what: 'target' }, [...path, 'for', at], context)
    return pattern
  })
}

function compileNumber(text: string, burst: number | undefined): NonNullable<RateModel['rate']> {
  const [calls, unit] = text.split('/') as [string, string]
  return { calls: Number(calls), seconds: SECONDS[unit.trim()]!, burst: burst ?? Math.max(1, Number(calls)) }
}

function nameOf({ name }: RawRate, index: number): string {
  return name ?? `limit ${index + 1}`
}

/** Two limits of one name would count in the same place. */
function reportTwins(rates: readonly RawRate[], context: CompileContext): void {
  const names = rates.map(nameOf)
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return
    context.report({
      code: 'duplicate-name',
      path: ['limits', 'rates', index],
      message: `Two limits are called "${name}"`,
      fix: 'Give each limit a name of its own',
    })
  })
}
