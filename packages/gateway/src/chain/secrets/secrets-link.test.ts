import { describe, expect, it } from 'vitest'
import { complete, failure, ProtocolError, writeJson, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { answering, chainBench } from '../chain.test.support.ts'
import { secretsLink } from './secrets-link.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const link = secretsLink({
  secrets: {
    isEmpty: false,
    hideFor: (_, text) => text.replaceAll('hunter2', '***'),
    toJson: (value) => writeJson(value).replaceAll('hunter2', '***'),
  },
})
const through = (outcome: Outcome) => link(bench.exchange('tools/call'), answering(outcome).next)

const text = (words: string) => ({ content: [{ type: 'text', text: words }] })

describe('secrets that a target was given', () => {
  it.each<[string, Outcome]>([
    ['a protocol error', failure(new ProtocolError(-32000, 'no hunter2', { key: 'hunter2' }))],
    ['a failed call', complete({ ...text('hunter2 is wrong'), isError: true })],
    ['a failed task', complete({ status: 'failed', error: { code: -32000, message: 'hunter2' } })],
    [
      'a question',
      { type: 'input_required', inputRequests: { q: { method: 'hunter2' } }, requestState: 's' },
    ],
    ['a task', { type: 'task', task: { taskId: '1', statusMessage: 'hunter2' } }],
    [
      'a task whose call failed',
      complete({ status: 'completed', result: { ...text('hunter2'), isError: true } }),
    ],
  ])('are not in %s', async (_what, outcome) => {
    const shown = JSON.stringify(await through(outcome))
    expect(shown).toMatch(/\*\*\*|\[redacted\]/)
    expect(shown).not.toContain('hunter2')
  })

  it('are not in notifications and questions', async () => {
    const heard: unknown[] = []
    const hear = (said: unknown): void => void heard.push(said)
    const ask = async (questions: unknown): Promise<object> => {
      hear(questions)
      return {}
    }
    const exchange = bench.exchange('tools/call', {}, { notify: hear, ask: ask as never })
    await link(exchange, async () => {
      exchange.notify({ method: 'notifications/message', params: { level: 'info', data: { it: 'hunter2' } } })
      await exchange.ask!({ q: { method: 'elicitation/create', params: { message: 'hunter2?' } } })
      return complete({})
    })
    expect(heard).toHaveLength(2)
    expect(JSON.stringify(heard)).not.toContain('hunter2')
  })

  it.each<[string, Outcome]>([
    ['a result', complete(text('hunter2 is a user name here'))],
    ['an error without any', failure(new ProtocolError(-32000, 'no'))],
    ['a failed call without any', complete({ ...text('no'), isError: true })],
  ])('leave %s as it is', async (_what, outcome) => {
    expect(await through(outcome)).toEqual(outcome)
  })
})
