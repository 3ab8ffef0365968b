import { expect, it } from 'vitest'
import { type CallEvent, callEvents } from './call-events.ts'
import { CallResult } from './call-result.ts'

it('reports that nobody reads do not pile up; the newest, every question and the result are there', async () => {
  const events = callEvents({
    options: {},
    async run({ onProgress, onLog }, ask) {
      const question = { method: 'elicitation/create', params: {} }
      const answered = ask({ q: question })
      for (let progress = 1; progress <= 20_000; progress++) {
        onProgress?.({ progress })
        onLog?.({ level: 'info', data: progress })
      }
      await answered
      return new CallResult({ content: [] })
    },
    fallback: async () => ({ q: { action: 'decline' } }),
  })
  const seen: CallEvent[] = []
  for await (const event of events) {
    // Everything has been reported before the first event is looked at.
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(event)
  }
  expect(seen.filter(({ type }) => type === 'question')).toHaveLength(1)
  expect(seen.at(-1)?.type).toBe('result')
  expect(seen.length).toBeLessThanOrEqual(1_003)
  expect(seen.at(-2)).toMatchObject({ type: 'log', data: 20_000 })
})
