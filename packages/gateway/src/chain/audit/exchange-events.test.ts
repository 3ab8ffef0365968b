import { expect, it } from 'vitest'
import { canonicalJson, complete, failure, ProtocolError, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { expectEvents, linesIn, testFolder, testTrail } from '../../audit/trail.test.support.ts'
import { chainBench } from '../chain.test.support.ts'
import { ExchangeEvents, hundredths } from './exchange-events.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const mask = (value: unknown): string => JSON.stringify(value)

const OUTCOMES: readonly Outcome[] = [
  complete({ content: [{ type: 'text', text: 'ü "quoted" \n' }] }),
  failure(new ProtocolError(-32000, 'no', { limit: 'each "one"' })),
]

it('writes what OCSF has no place for in the canonical form, whatever there is of it', async () => {
  const folder = testFolder()
  for (const bodies of [false, true]) {
    const trail = testTrail(folder, { bodies })
    for (const given of [undefined, {}, { b: 'ü\u2028"', a: [1, null] }]) {
      const exchange = bench.exchange('tools/call', { name: 'x', ...(given && { arguments: given }) })
      exchange.ruling = { allowed: true, rule: 'r', approval: 'an "id"' }
      const made = new ExchangeEvents(trail, mask)
      const events = [made.decided(exchange), ...OUTCOMES.map((outcome) => made.ended(exchange, outcome))]
      for (const event of events) {
        const more = event.unmapped()
        const parsed = JSON.parse(more) as Record<string, unknown>
        expect(canonicalJson(parsed)).toBe(more)
        expect(parsed.outcome).toBe(event.facts.outcome)
        expect('arguments_hash' in parsed).toBe(given !== undefined)
        expect('arguments' in parsed).toBe(bodies && given !== undefined)
        trail.add(event)
      }
    }
    await trail.close()
  }
  expectEvents(await linesIn(folder))
})

it.each([0, 0.004, 0.01, 0.1, 1, 1.2, 1.23, 12.05, 99.999, 100, 123_456_789.12])(
  'writes %f milliseconds as JSON does',
  (time) => {
    expect(hundredths(time)).toBe(JSON.stringify(Math.round(time * 100) / 100))
  },
)
