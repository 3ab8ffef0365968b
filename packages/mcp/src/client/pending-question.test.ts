import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FakeClock } from '../testing/fake-clock.ts'
import { memory } from '../transport/memory.ts'
import { LATEST_LEGACY, LATEST_MODERN } from '../protocol/index.ts'
import { Server, tool } from '../server/index.ts'
import type { AnswerContext } from './answers.ts'
import { Client } from './client.ts'

/** A server whose only tool asks, and a client whose user does not answer. */
function waiting(protocolVersion: typeof LATEST_LEGACY | typeof LATEST_MODERN, rejects: boolean) {
  const ask = tool({
    run: async (_, ctx) => {
      const { name } = await ctx.elicit('Who?', z.object({ name: z.string() }))
      return `Hello ${name}`
    },
  })
  const server = new Server({ name: 'asks', version: '1.0.0', tools: { ask } })
  let asked: (context: AnswerContext) => void
  const question = new Promise<AnswerContext>((resolve) => {
    asked = resolve
  })
  const client = new Client({
    connector: memory(server),
    protocolVersion,
    elicit: (_, context) => {
      asked(context)
      return new Promise((_, reject) => {
        if (rejects)
          context.signal.addEventListener('abort', () => reject(new Error('the window was closed')))
      })
    },
  })
  return { client, question }
}

const cases = [LATEST_LEGACY, LATEST_MODERN].flatMap((version) =>
  [false, true].map((rejects) => ({
    version,
    rejects,
    how: rejects ? 'a handler that rejects on abort' : 'a handler that never ends',
  })),
)

describe.each(cases)('a question that is open ($version, $how)', ({ version, rejects }) => {
  it('ends with the signal of its call', async () => {
    const { client, question } = waiting(version, rejects)
    await using _ = client
    const abort = new AbortController()
    const call = client.call('ask', {}, { signal: abort.signal })
    const { signal } = await question
    abort.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    expect(signal.aborted).toBe(true)
  })

  it('ends with the time of its call', async () => {
    const { client, question } = waiting(version, rejects)
    await using _ = client
    using clock = new FakeClock()
    const call = client.call('ask', {}, { maxTotalTimeout: '5m' })
    const ended = expect(call).rejects.toMatchObject({ code: 'timeout', details: { timeout: 300_000 } })
    const { signal } = await question
    await clock.advance('5m')
    await ended
    expect(signal.aborted).toBe(true)
  })

  it('ends with its client', async () => {
    const { client, question } = waiting(version, rejects)
    const call = client.call('ask')
    const ended = expect(call).rejects.toMatchObject({ code: 'closed' })
    const { signal } = await question
    await client.close()
    await ended
    expect(signal.aborted).toBe(true)
  })

  it('ends with the signal of a stream that nobody answers', async () => {
    const { client, question } = waiting(version, rejects)
    await using _ = client
    const abort = new AbortController()
    const events = client.stream('ask', {}, { signal: abort.signal })
    const all = (async () => {
      for await (const event of events) if (event.type === 'result') return event
      return undefined
    })()
    await question
    abort.abort()
    await expect(all).rejects.toMatchObject({ code: 'cancelled' })
  })
})
