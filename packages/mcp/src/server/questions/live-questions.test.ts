import { describe, expect, it } from 'vitest'
import { quiet, RawPeer, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { type McpError, Server, tool } from '../index.ts'

describe('questions to a legacy client', () => {
  it('cancelling a call withdraws its question on legacy and frees everything', async () => {
    const events: string[] = []
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: async (_args, ctx) => {
            try {
              return String(await ctx.confirm('Sure?'))
            } catch (error) {
              events.push((error as McpError).code)
              throw error
            }
          },
        }),
      },
    })
    const peer = new RawPeer(app)
    await peer.handshake('2025-11-25', { elicitation: {} })
    const id = peer.start('tools/call', { name: 't' })
    const [question] = await until(() => {
      const found = peer.heardOf('elicitation/create')
      return found.length > 0 && found
    })
    peer.notify('notifications/cancelled', { requestId: id })
    await until(() => events.length > 0)
    expect(events).toEqual(['cancelled'])
    expect(peer.heardOf('notifications/cancelled')).toMatchObject([{ params: { requestId: question!.id } }])
    await quiet()
    expect(peer.heard.some((message) => message.id === id && !('method' in message))).toBe(false)
  })

  it('an error that the client answers with is the handler’s to catch', async () => {
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: async (_args, ctx) => {
            try {
              return String(await ctx.confirm('Sure?'))
            } catch (error) {
              return `${(error as McpError).code}: ${(error as Error).message}`
            }
          },
        }),
      },
    })
    const peer = new RawPeer(app)
    await peer.handshake('2025-06-18', { elicitation: {} })
    const id = peer.start('tools/call', { name: 't' })
    const question = await until(() => peer.heardOf('elicitation/create')[0])
    peer.send({ jsonrpc: '2.0', id: question.id, error: { code: -1, message: 'no window' } })
    expect(await peer.answerTo(id)).toMatchObject({
      result: { content: [{ text: 'invalid_answer: The client refused elicitation/create: no window' }] },
    })
  })

  it('a client that never answers is given up after answerTimeout', async () => {
    const app = new Server({
      name: 's',
      answerTimeout: '20ms',
      tools: { t: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }) },
    })
    const peer = new RawPeer(app)
    await peer.handshake('2025-11-25', { elicitation: {} })
    expect(await peer.request('tools/call', { name: 't' })).toMatchObject({ result: { isError: true } })
    expect(peer.heardOf('notifications/cancelled')).toHaveLength(1)
  })
})
