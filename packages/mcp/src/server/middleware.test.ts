import { expect, it } from 'vitest'
import { eras } from '../testing/index.ts'
import { Server, tool } from './index.ts'

it('a copy of an exchange by a spread keeps what the exchange can do, and takes what was changed', async () => {
  const app = new Server({
    name: 's',
    tools: {
      t: tool({
        run: async (args, ctx) => {
          await ctx.progress(1)
          return JSON.stringify([args, ctx.serverContext, ctx.signal.aborted, await ctx.confirm('Sure?')])
        },
      }),
    },
    middleware: [
      (exchange, next) =>
        exchange.method === 'tools/call'
          ? next({
              ...exchange,
              params: { ...exchange.params, arguments: { added: 1 } },
              serverContext: 'mine',
            })
          : next(),
    ],
  })
  await eras(app, async ({ client, answers }) => {
    answers.accept()
    const progress: number[] = []
    const result = await client.call('t', {}, { onProgress: (update) => progress.push(update.progress) })
    expect(result.text()).toBe('[{"added":1},"mine",false,true]')
    expect(progress.length).toBeGreaterThan(0)
  })
})

it('a copy with another signal ends by it', async () => {
  const abort = new AbortController()
  let heard: AbortSignal | undefined
  const app = new Server({
    name: 's',
    tools: {
      t: tool({
        run: (_, ctx) => {
          heard = ctx.signal
          abort.abort()
          return String(ctx.signal.aborted)
        },
      }),
    },
    middleware: [(exchange, next) => next({ ...exchange, signal: abort.signal })],
  })
  const answer = await app.handle({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 't' },
  })
  expect(heard?.aborted).toBe(true)
  expect(answer).toMatchObject({ result: { content: [{ text: 'true' }] } })
})
