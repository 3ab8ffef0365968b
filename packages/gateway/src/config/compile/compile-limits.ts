import type { GatewayModel, RateModel, Settings } from '../../model/index.ts'
import { type Expressions, toFilled } from './compile-conditions.ts'
import { compilePatterns } from './compile-patterns.ts'
import { placedRates, type PlacedRate } from './placed-rates.ts'
import type { Place, Section } from './section.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Types of CEL that are numbers, or may be. */
const NUMBERS: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'dyn'])

interface Surroundings {
  readonly targets: readonly string[]
  readonly expressions: Expressions
}

export function compileLimits(root: Section<Settings>, surroundings: Surroundings): GatewayModel['limits'] {
  const rates = placedRates(root)
  reportTwins(rates)
  const retries = root.at('limits').at('retries').each()
  return {
    rates: rates.map((rate) => compileRate(rate, surroundings)),
    repeatedErrors: root.value.limits.repeatedErrors,
    retries: retries.map((retry) => ({
      ...retry.value,
      for: compilePatterns(retry.at('for'), surroundings.targets),
      hedgeAfter: retry.value.hedgeAfter,
    })),
  }
}

function compileRate({ section, view, name }: PlacedRate, { targets, expressions }: Surroundings): RateModel {
  const { by, rate, burst, perDay, concurrent, shared, storeAway } = section.value
  if (rate === undefined && perDay === undefined && concurrent === undefined) {
    const fix = 'Add "rate" (such as "30/m"), "perDay" or "concurrent"'
    section.report({ code: 'invalid-value', message: 'This limit has no number', fix })
  }
  warnIgnored('burst', burst !== undefined && rate === undefined, 'rate', section)
  warnIgnored('storeAway', storeAway === 'refuse' && !shared, 'shared: true', section)
  const cost = toFilled(section.value.cost, expressions)!
  if ('expression' in cost && !NUMBERS.has(cost.expression.type)) {
    const message = `A cost has to be a number, and this is of type ${cost.expression.type}`
    const fix = 'Write an expression whose value is a number'
    section.report({ code: 'invalid-value', message, fix }, 'cost', 'expression')
  }
  return {
    name,
    view,
    for: compilePatterns(section.at('for'), targets),
    by: by === undefined ? undefined : expressions.get(by),
    rate: rate === undefined ? undefined : compileNumber(rate, burst),
    perDay,
    concurrent,
    cost,
    shared,
    storeAway,
  }
}

/** A setting that has an effect only together with another setting. */
function warnIgnored(key: string, isIgnored: boolean, other: string, place: Place): void {
  if (!isIgnored) return
  const message = `"${key}" does nothing without "${other}"`
  const fix = `Add "${other}", or remove "${key}"`
  place.report({ severity: 'warning', code: 'ignored-key', message, fix }, key)
}

function compileNumber(text: string, burst: number | undefined): NonNullable<RateModel['rate']> {
  const [calls, unit] = text.split('/') as [string, string]
  return { calls: Number(calls), seconds: SECONDS[unit.trim()]!, burst: burst ?? Math.max(1, Number(calls)) }
}

/** Two limits of one name would count in the same place. */
function reportTwins(rates: readonly PlacedRate[]): void {
  const names = rates.map(({ name }) => name)
  rates.forEach(({ name, section }, index) => {
    if (names.indexOf(name) === index) return
    const message = `Two limits are called "${name}"`
    section.report({ code: 'duplicate-name', message, fix: 'Give each limit a name of its own' })
  })
}
