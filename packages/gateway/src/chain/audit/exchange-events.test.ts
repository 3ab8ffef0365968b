import { expect, it } from 'vitest'
import { canonicalJson, complete, failure, ProtocolError, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { expectEvents, linesIn, testFolder, testTrail } from '../../audit/trail.test.support.ts'
import { chainBench } from '../chain.test.support.ts'
import { ExchangeEvents } from './exchange-events.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const mask = (value: unknown): string => JSON.stringify(value)

const OUTCOMES: readonly Outcome[] = [
  complete({ content: [{ type: 'text', text: 'ü "quoted" \n' }] }),
  failure(new ProtocolError(-32000, 'no', { limit: 'each "one"' })),
]

it('writes what it tells of a request, with or without bodies', async () => {
  for (const bodies of [false, true]) {
    for (const given of [undefined, {}, { b: 'ü\u2028"', a: [1, null] }, { long: 'x'.repeat(5000) }]) {
      const folder = testFolder()
      const trail = testTrail(folder, { bodies })
      const exchange = bench.exchange('tools/call', { name: 'x', ...(given && { arguments: given }) })
      exchange.ruling = { allowed: true, rule: 'r', approval: 'an "id"' }
      const made = new ExchangeEvents(trail, mask)
      const events = [made.decided(exchange), ...OUTCOMES.map((outcome) => made.ended(exchange, outcome))]
      for (const event of events) trail.add(event)
      await trail.close()
      const lines = await linesIn(folder)
      expectEvents(lines)
      const hash = given && trail.digest(canonicalJson(given))
      for (const [at, event] of events.entries()) {
        const { unmapped } = JSON.parse(lines[at]!) as { unmapped: Record<string, unknown> }
        expect(unmapped.outcome).toBe(event.facts.outcome)
        expect(unmapped.arguments_hash).toBe(hash)
        expect(unmapped.arguments_bytes).toBe(given && canonicalJson(given).length)
        expect('arguments' in unmapped).toBe(bodies && given !== undefined)
        expect(unmapped.stage).toBe(at === 0 ? 'decision' : 'outcome')
      }
    }
  }
})
