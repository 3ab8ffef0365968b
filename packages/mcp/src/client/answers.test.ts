import { describe, expect, it } from 'vitest'
import { metaOf, type Script } from '../exchange/client/client-edge-peer.test.support.ts'
import type { JsonObject } from '../jsonrpc/index.ts'
import { META } from '../protocol/index.ts'
import { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { scripted } from './scripted-connector.test.support.ts'

const form = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', default: 30 } },
    required: ['name'],
  },
}

/** A tool that asks one question, in the manner of its era, and returns what it was answered. */
function asking(era: 'modern' | 'legacy', method: string, params: JsonObject): Script {
  if (era === 'legacy')
    return async ({ push }) => ({ content: [], structuredContent: await push(method, params) })
  return ({ request }) => {
    const answers = request.params?.inputResponses as JsonObject | undefined
    if (answers) return { content: [], structuredContent: { result: answers.q } }
    return { resultType: 'input_required', inputRequests: { q: { method, params } }, requestState: 's' }
  }
}

async function answered(
  era: 'modern' | 'legacy',
  method: string,
  params: JsonObject,
  options: ClientOptions,
) {
  const connector = scripted(era, asking(era, method, params))
  await using client = new Client({ connector, ...options })
  const { structured } = await client.call('ask')
  return { answer: structured as { result?: unknown; error?: { code: number } }, connector }
}

describe.each(['modern', 'legacy'] as const)('answering a %s server', (era) => {
  it('fills an accepted form with its defaults and passes it on', async () => {
    const { answer } = await answered(era, 'elicitation/create', form, {
      elicit: (params, { request }) => {
        expect(params.message).toBe('Who are you?')
        expect(request).toEqual({ method: 'tools/call', params: { name: 'ask' } })
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    expect(answer.result).toEqual({ action: 'accept', content: { name: 'Ada', age: 30 } })
  })

  it('does not pass on an answer that does not fit the form', async () => {
    const elicit: ClientOptions['elicit'] = () => ({ action: 'accept', content: { name: 7 } })
    const pending = answered(era, 'elicitation/create', form, { elicit })
    if (era === 'modern') await expect(pending).rejects.toMatchObject({ code: 'invalid_answer' })
    else expect((await pending).answer.error).toMatchObject({ code: -32603 })
  })

  it('asks for URLs where that is declared', async () => {
    const url = { mode: 'url', url: 'https://example.com/', message: 'Sign in', elicitationId: '1' }
    const elicit = { url: (params: { url: string }) => ({ action: 'accept' as const, opened: params.url }) }
    const { answer } = await answered(era, 'elicitation/create', url, { elicit })
    expect(answer.result).toEqual({ action: 'accept', opened: 'https://example.com/' })
  })

  it('samples and lists roots', async () => {
    const sample = async () => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: 'x' },
    })
    const sampled = await answered(era, 'sampling/createMessage', { messages: [], maxTokens: 1 }, { sample })
    expect(sampled.answer.result).toMatchObject({ model: 'm' })
    const listed = await answered(era, 'roots/list', {}, { roots: async () => [{ uri: 'file:///' }] })
    expect(listed.answer.result).toEqual({ roots: [{ uri: 'file:///' }] })
  })

  it('refuses roots that are no files, and conversations with a tool result missing', async () => {
    const elsewhere = answered(
      era,
      'roots/list',
      {},
      { roots: async () => [{ uri: 'https://example.com/' }] },
    )
    if (era === 'legacy') expect((await elsewhere).answer.error).toBeDefined()
    else await expect(elsewhere).rejects.toMatchObject({ code: 'invalid_definition' })
    const asked: unknown[] = []
    const sample = (params: unknown) => {
      asked.push(params)
      return { role: 'assistant' as const, model: 'm', content: [] }
    }
    const messages = [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input: {} }] }]
    const sampled = answered(era, 'sampling/createMessage', { messages, maxTokens: 1 }, { sample })
    if (era === 'legacy') expect((await sampled).answer.error?.code).toBe(-32602)
    else await expect(sampled).rejects.toMatchObject({ code: -32602 })
    expect(asked).toEqual([])
  })

  it('declares what it can answer, and what is added', async () => {
    const { connector } = await answered(
      era,
      'roots/list',
      {},
      {
        roots: [],
        elicit: { form: () => ({ action: 'cancel' }) },
        sample: () => ({ role: 'assistant', model: 'm', content: [] }),
        capabilities: { sampling: { tools: {} }, extensions: { 'com.example/x': {} } },
      },
    )
    const declared =
      era === 'legacy'
        ? connector.peer.of('initialize')[0]?.params?.capabilities
        : metaOf(connector.peer.of('tools/call')[0], META.clientCapabilities)
    expect(declared).toEqual({
      roots: era === 'legacy' ? { listChanged: true } : {},
      elicitation: { form: {} },
      sampling: { tools: {} },
      extensions: { 'com.example/x': {} },
    })
  })

  it('declines by default', async () => {
    const pending = answered(era, 'elicitation/create', form, {})
    if (era === 'legacy') expect((await pending).answer.error?.code).toBe(-32601)
    else expect((await pending).answer.result).toEqual({ action: 'decline' })
    const sampling = answered(era, 'sampling/createMessage', {}, {})
    if (era === 'legacy') expect((await sampling).answer.error?.code).toBe(-32601)
    else await expect(sampling).rejects.toMatchObject({ code: 'missing_capability' })
  })

  it('waits for a person without timing out', async () => {
    const { answer } = await answered(era, 'elicitation/create', form, {
      timeout: 50,
      elicit: async () => {
        await new Promise((resolve) => setTimeout(resolve, 120))
        return { action: 'decline' }
      },
    })
    expect(answer.result).toEqual({ action: 'decline' })
  })

  it('answers legacy servers outside any call as well', async () => {
    if (era === 'modern') return
    const connector = scripted('legacy', () => ({}))
    await using client = new Client({ connector, roots: [{ uri: 'file:///' }] })
    await client.connect()
    expect(await connector.peer.push('roots/list')).toMatchObject({
      result: { roots: [{ uri: 'file:///' }] },
    })
    expect(await connector.peer.push('ping')).toMatchObject({ result: {} })
    expect(await connector.peer.push('elicitation/create', form)).toMatchObject({ error: { code: -32601 } })
  })
})

describe.each(['modern', 'legacy'] as const)('questions as values from a %s server', (era) => {
  it('start returns them, as plain JSON, and resume goes on', async () => {
    const connector = scripted(era, asking(era, 'elicitation/create', form))
    await using client = new Client({ connector, capabilities: { elicitation: {} } })
    const started = await client.start('ask', { x: 1 })
    if (started.type !== 'input_required') throw new Error('expected a question')
    const saved = JSON.parse(JSON.stringify(started)) as typeof started
    const [key] = Object.keys(saved.questions) as [string]
    expect(saved.questions[key]).toEqual({ method: 'elicitation/create', params: form })
    const done = await client.resume(saved, { [key]: { action: 'accept', content: { name: 'Ada' } } })
    if (done.type !== 'complete') throw new Error('expected the end')
    const answer = done.result.structured as { result: unknown }
    expect(answer.result).toEqual({ action: 'accept', content: { name: 'Ada', age: 30 } })
  })

  it('stream tells what happens, and lets the reader answer', async () => {
    const connector = scripted(era, async (turn) => {
      const { notify, request } = turn
      const meta = request.params?._meta as { progressToken: unknown }
      notify('notifications/progress', { progressToken: meta.progressToken, progress: 1 })
      return asking(era, 'elicitation/create', form)(turn)
    })
    await using client = new Client({ connector, capabilities: { elicitation: {} } })
    const types: string[] = []
    for await (const event of client.stream('ask')) {
      types.push(event.type)
      if (event.type === 'question')
        event.answer(Promise.resolve({ action: 'accept', content: { name: 'Bo' } }))
      if (event.type === 'result') {
        expect(event.result.structured).toMatchObject({ result: { content: { name: 'Bo' } } })
      }
    }
    expect(types[0]).toBe('progress')
    expect(types.slice(-1)).toEqual(['result'])
    expect(types).toContain('question')
  })

  it('what the reader leaves alone goes to the handlers, and leaving cancels the call', async () => {
    const connector = scripted(era, asking(era, 'elicitation/create', form))
    await using client = new Client({ connector, elicit: () => ({ action: 'cancel' }) })
    const events = []
    for await (const event of client.stream('ask')) events.push(event)
    expect(events.at(-1)).toMatchObject({ result: { structured: { result: { action: 'cancel' } } } })
    for await (const event of client.stream('ask')) if (event.type === 'question') break
    if (era === 'legacy') expect(connector.peer.of('notifications/cancelled')).toHaveLength(1)
  })

  it('stream throws what the call throws', async () => {
    const connector = scripted(era, () => ({ error: { code: -32602, message: 'no' } }))
    await using client = new Client({ connector })
    await expect(client.stream('x').next()).rejects.toMatchObject({ code: -32602 })
  })
})
