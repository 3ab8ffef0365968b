import { expect, it } from 'vitest'
import { Budget, type Handle, type InputRequest, type Served } from '../exchange/index.ts'
import { Server, tool } from '../server/index.ts'
import { HttpHost } from './fixtures/http-hosts.test.node.ts'
import type { Guard } from './http/server/reply.ts'

const guard: Guard = ({ headers }) => ({
  ok: true,
  auth: { principal: { kind: 'key', subject: headers.authorization ?? '' }, scopes: [], claims: {} },
})

const QUESTION: InputRequest = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}

/** Asks as a gateway does, by an outcome, and as a handler does. */
function asking(questions: Budget): Served {
  const confirm = tool({ run: async (_, ctx) => ((await ctx.confirm('Sure?')) ? 'yes' : 'no') })
  const app = new Server({ name: 's', tools: { small: tool({ run: () => 'pong' }), confirm } })
  const respond: Handle = (exchange) =>
    exchange.params.name === 'ask'
      ? { type: 'input_required', inputRequests: { sure: QUESTION } }
      : app.respond(exchange)
  return { info: app.info, respond, questions }
}

const ways = ['ask', 'confirm']
it.each(ways)('questions that nobody answers are bounded for a caller and in all: %s', async (name) => {
  const questions = new Budget({ perCaller: 3, total: 4 })
  await using host = await HttpHost.open('node', asking(questions), { guard })
  const sessionOf = (authorization: string) =>
    host.session('2025-11-25', { elicitation: {} }, { authorization })
  let id = 0
  /** What is said first: the question, or why there is none. */
  const ask = async (session: Record<string, string>): Promise<string> => {
    const call = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name } }
    const answer = await host.post(call, session)
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let said = ''
    while (!/elicitation\/create|"reason":"\w+"/.test(said)) {
      const { value, done } = await reader.read()
      if (done) break
      said += value
    }
    return /elicitation\/create|"reason":"\w+"/.exec(said)?.[0] ?? said
  }
  const [one, other, theirs] = [await sessionOf('a'), await sessionOf('a'), await sessionOf('b')]
  const asked = 'elicitation/create'
  const refused = '"reason":"questions"'
  expect([await ask(one), await ask(one), await ask(other)]).toEqual([asked, asked, asked])
  expect([await ask(one), await ask(other)]).toEqual([refused, refused])
  expect([await ask(theirs), await ask(theirs)]).toEqual([asked, refused])
  expect((await host.modern('tools/call', { name: 'small' })).status).toBe(200)
  await host.request({ method: 'DELETE', headers: one })
  await expect.poll(() => questions.held).toBe(2)
  expect(await ask(theirs)).toBe(asked)
})
