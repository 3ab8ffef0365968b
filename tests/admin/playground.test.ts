import { fileURLToPath } from 'node:url'
import { connect } from '@gantry/mcp/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  PlaygroundClient,
  PlaygroundEvent,
  StartCall,
  WaitingCall,
  WireDetail,
} from '../../packages/gateway/src/admin/contract.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

const CRASHING = fileURLToPath(new URL('../fixtures/crash-server.mjs', import.meta.url))
const TEXTS = fileURLToPath(new URL('../fixtures/texts-server.mjs', import.meta.url))
const asking = (revisions: string): object => ({
  command: process.execPath,
  args: [ASKING_SERVER],
  env: { REVISIONS: revisions },
})
const ALL = { elicitation: { form: true, url: true }, sampling: {}, roots: [{ uri: 'file:///root' }] }
const client = (
  era: 'legacy' | 'modern',
  capabilities: PlaygroundClient['capabilities'] = ALL,
): PlaygroundClient => ({
  era,
  capabilities,
})

let gateway: AdminGateway

beforeAll(async () => {
  gateway = await adminGateway({
    mcpServers: {
      demo: { module: 'gantry:demo' },
      old: asking('2025-06-18,2025-11-25'),
      new: asking('2026-07-28'),
      crash: { command: process.execPath, args: [CRASHING] },
      texts: { command: process.execPath, args: [TEXTS] },
    },
  })
  await gateway.api.call('catalog', { query: { refresh: true } })
})
afterAll(() => gateway.close())

type Kind = PlaygroundEvent['type']
type Of<T extends Kind> = Extract<PlaygroundEvent, { type: T }>

/** Starts a call and answers its questions; resolves with all events. */
async function play(
  body: StartCall,
  answer: (question: Of<'question'>['question']) => Record<string, unknown> = () => ({ action: 'cancel' }),
): Promise<{ id: string; events: PlaygroundEvent[] }> {
  const { api } = gateway
  const { id } = await api.call('startCall', { body })
  const events: PlaygroundEvent[] = []
  for await (const { event } of api.stream('playgroundEvents', { params: { id } })) {
    events.push(event)
    if (event.type !== 'question') continue
    const { question } = event
    const [{ status, questions }] = [await api.call('playgroundCall', { params: { id } })]
    expect(status).toBe('waiting')
    expect(questions.map((one) => one.id)).toContain(question.id)
    await api.call('answerQuestion', {
      params: { id },
      body: { question: question.id, answer: answer(question) },
    })
  }
  return { id, events }
}

function last<T extends Kind>(events: readonly PlaygroundEvent[], type: T): Of<T> {
  const event = events.at(-1)
  expect(event).toMatchObject({ type })
  return event as Of<T>
}

const text = (event: Of<'result'>): string => (event.result.content as { text: string }[])[0]!.text

describe.each(['legacy', 'modern'] as const)('as a %s client', (era) => {
  describe.each(['old', 'new'])('of the %s server', (target) => {
    it('an elicitation is answered in the page, with progress and logs on the way', async () => {
      const { id, events } = await play(
        { method: 'tools/call', params: { name: `${target}_greet`, arguments: {} }, client: client(era) },
        (question) => {
          expect(question).toMatchObject({ kind: 'form', method: 'elicitation/create', target })
          expect(question.params.message).toBe('What is your name?')
          return { action: 'accept', content: { name: '<i>Ada</i>' } }
        },
      )
      expect(events[0]).toMatchObject({ type: 'connected', era })
      expect(text(last(events, 'result'))).toBe('Hello, <i>Ada</i>!')
      const types = events.map(({ type }) => type)
      for (const type of ['progress', 'question', 'answered'] as const) expect(types).toContain(type)
      const log = events.find((event) => event.type === 'log') as Of<'log'>
      expect(log.data).toBe('greeting <i>Ada</i>')
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))

      const { records, status } = await gateway.api.call('playgroundCall', { params: { id } })
      expect(status).toBe('ok')
      const details = await Promise.all(
        records.map((record) => gateway.api.call('wireDetail', { params: { id: record } })),
      )
      const calls = details.filter(({ method }) => method === 'tools/call')
      checkHops(calls, era, target)
    })

    it('several questions of one round come together', async () => {
      const names: Record<string, string> = { 'First?': 'a', 'Second?': 'b', 'Third?': 'c' }
      const { events } = await play(
        { method: 'tools/call', params: { name: `${target}_twice` }, client: client(era) },
        ({ params }) => ({ action: 'accept', content: { name: names[String(params.message)] } }),
      )
      expect(text(last(events, 'result'))).toBe('a b c')
    })

    it('sampling is answered in the page, and roots are given', async () => {
      const { events } = await play(
        { method: 'tools/call', params: { name: `${target}_capital` }, client: client(era) },
        ({ kind }) => {
          expect(kind).toBe('sampling')
          return { role: 'assistant', model: 'me', content: { type: 'text', text: 'Paris' } }
        },
      )
      expect(text(last(events, 'result'))).toBe('Paris file:///root')
    })

    it('a declined question is told to the server', async () => {
      const { events } = await play(
        { method: 'tools/call', params: { name: `${target}_greet` }, client: client(era) },
        () => ({ action: 'decline' }),
      )
      expect(events.at(-1)!.type).toBe('result')
    })

    it('a call is cancelled where it runs', async () => {
      const { id } = await gateway.api.call('startCall', {
        body: { method: 'tools/call', params: { name: `${target}_wait` }, client: client(era) },
      })
      await until(() => [...gateway.gateway.exchanges.running].some(({ name }) => name === `${target}_wait`))
      await gateway.api.call('cancelCall', { params: { id } })
      const detail = await until(async () => {
        const now = await gateway.api.call('playgroundCall', { params: { id } })
        return now.status === 'cancelled' && now
      })
      expect(detail.events.at(-1)!.type).toBe('cancelled')
      await until(() => ![...gateway.gateway.exchanges.running].some(({ name }) => name === `${target}_wait`))
    })

    it('updates of a resource are seen until it is cancelled', async () => {
      const uri = `${target}+test://thing`
      const { id } = await gateway.api.call('startCall', {
        body: { method: 'resources/subscribe', params: { uri }, client: client(era) },
      })
      const touch = { method: 'tools/call', params: { name: `${target}_touch` }, client: client(era) }
      await until(async () => {
        await play(touch)
        const { events } = await gateway.api.call('playgroundCall', { params: { id } })
        return events.some((event) => event.type === 'notification' && event.params?.uri === uri)
      })
      await gateway.api.call('cancelCall', { params: { id } })
    })
  })
})

/** Both hops of a call, and words where the gateway translated. */
function checkHops(calls: readonly WireDetail[], era: 'legacy' | 'modern', target: string): void {
  const hops = calls.flatMap((call) => call.hops)
  expect(new Set(hops.map(({ hop }) => hop))).toEqual(new Set(['client', 'target']))
  const first = hops.find((one) => one.hop === 'target' && one.method === 'tools/call')!
  expect(first.message).toMatchObject({ method: 'tools/call', params: { name: 'greet' } })
  expect(first.note).toContain(`\`${target}_greet\` → \`greet\``)
  const notes = hops.map(({ note }) => note ?? '').join('\n')
  const isBridged = (era === 'modern') !== (target === 'new')
  if (isBridged && era === 'modern') expect(notes).toMatch(/`elicitation\/create` → `input_required`/)
  if (isBridged && era === 'legacy') expect(notes).toMatch(/`input_required` → `elicitation\/create`/)
}

describe('the playground', () => {
  it('gets prompts, reads resources, completes and lists', async () => {
    const requests: [string, Record<string, unknown>, string][] = [
      ['prompts/get', { name: 'demo_summarise', arguments: { id: 'welcome' } }, 'messages'],
      ['resources/read', { uri: 'demo+note:///welcome' }, 'contents'],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'demo_summarise' }, argument: { name: 'id', value: 'w' } },
        'completion',
      ],
      ['tools/list', {}, 'tools'],
    ]
    for (const era of ['legacy', 'modern'] as const) {
      for (const [method, params, member] of requests) {
        const { events } = await play({ method, params, client: client(era) })
        expect(last(events, 'result').result).toHaveProperty(member)
      }
    }
  })

  it('speaks for one target alone, under its own names', async () => {
    const { events } = await play({
      method: 'tools/call',
      target: 'demo',
      params: { name: 'list_notes' },
      client: client('modern'),
    })
    expect(last(events, 'result').result.structuredContent).toHaveProperty('notes')
  })

  it('is a client of the chosen revision', async () => {
    const revision = '2024-11-05' as const
    const { events } = await play({
      method: 'tools/list',
      params: {},
      client: { era: 'legacy', revision, capabilities: {} },
    })
    expect(events[0]).toMatchObject({ type: 'connected', revision })
  })

  it('declares only what it was told to: the question is refused then', async () => {
    const { events } = await play({
      method: 'tools/call',
      params: { name: 'old_greet' },
      client: client('modern', {}),
    })
    const end = events.at(-1)!
    expect(['error', 'result']).toContain(end.type)
    expect(JSON.stringify(end)).toMatch(/elicitation|capabilit|isError/i)
    expect(events.map(({ type }) => type)).not.toContain('question')
  })

  it('says why it failed, and what to do', async () => {
    const unknown = await play({
      method: 'tools/call',
      params: { name: 'no_such' },
      client: client('modern'),
    })
    expect(last(unknown.events, 'error').error).toMatchObject({
      code: -32602,
      fix: 'Ask why it is missing: gantry why no_such',
    })
    const crashed = await play({
      method: 'tools/call',
      params: { name: 'crash_crash' },
      client: client('modern'),
    })
    expect(last(crashed.events, 'error').error).toMatchObject({
      message: expect.stringContaining('crash'),
      fix: 'Look at the target: gantry doctor crash',
    })
    await expect(
      gateway.api.call('startCall', {
        body: { method: 'tools/list', params: {}, target: 'nowhere', client: client('modern') },
      }),
    ).rejects.toMatchObject({ status: 404 })
  })

  it('refuses answers that do not fit while they can still be put right', async () => {
    const { id } = await gateway.api.call('startCall', {
      body: { method: 'tools/call', params: { name: 'new_greet' }, client: client('modern') },
    })
    const question = await until(
      async () => (await gateway.api.call('playgroundCall', { params: { id } })).questions[0],
    )
    const answer = (given: Record<string, unknown>) =>
      gateway.api.call('answerQuestion', { params: { id }, body: { question: question.id, answer: given } })
    await expect(answer({})).rejects.toMatchObject({ status: 400 })
    await expect(answer({ action: 'accept', content: {} })).rejects.toMatchObject({ message: /name/ })
    await answer({ action: 'accept', content: { name: 'Eve' } })
    await expect(answer({ action: 'cancel' })).rejects.toMatchObject({ status: 410 })
    await until(async () => (await gateway.api.call('playgroundCall', { params: { id } })).status === 'ok')
  })

  it('lets a page that lost its connection go on where it was', async () => {
    const { id, events } = await play({
      method: 'tools/call',
      params: { name: 'demo_list_notes' },
      client: client('modern'),
    })
    const again: PlaygroundEvent[] = []
    const options = { lastEventId: String(events[0]!.seq) }
    for await (const { event } of gateway.api.stream('playgroundEvents', { params: { id } }, options))
      again.push(event)
    expect(again).toEqual(events.slice(1))
    const { calls } = await gateway.api.call('playgroundCalls', {})
    expect(calls[0]).toMatchObject({ id, status: 'ok', method: 'tools/call' })
  })
})

describe('calls that wait for an answer', () => {
  const waiting = async (): Promise<readonly WaitingCall[]> => (await gateway.api.call('waiting', {})).calls

  it.each(['legacy', 'modern'] as const)(
    'are listed while a %s client is asked, and then no more',
    async (era) => {
      let answer = (_: { action: 'accept'; content: { name: string } }): void => {}
      await using asked = await connect(`${gateway.url}/mcp`, {
        name: `${era} desk`,
        version: '1',
        era,
        elicit: () => new Promise((resolve) => (answer = resolve)),
      })
      const call = asked.call('old_greet')
      const [found] = await until(async () => {
        const own = (await waiting()).filter(({ client: { name } }) => name === `${era} desk`)
        return own.length > 0 && own
      })
      expect(found).toMatchObject({
        name: 'old_greet',
        target: 'old',
        questions: [{ method: 'elicitation/create', message: 'What is your name?' }],
      })
      expect(found!.call).toBeUndefined()
      answer({ action: 'accept', content: { name: 'Ada' } })
      expect((await call).text()).toBe('Hello, Ada!')
      expect(await waiting()).toEqual([])
    },
  )

  it('name the call of the playground that they are', async () => {
    const { id } = await gateway.api.call('startCall', {
      body: { method: 'tools/call', params: { name: 'new_greet' }, client: client('modern') },
    })
    await until(async () => (await waiting()).some(({ call }) => call === id))
    await gateway.api.call('cancelCall', { params: { id } })
    await until(async () => !(await waiting()).some(({ call }) => call === id))
  })
})

describe('a view of a server', () => {
  it('is a document without an origin that may load what its server declared, and nothing of the gateway', async () => {
    const own = new URL(gateway.url)
    const { path } = await gateway.api.call('openView', {
      body: {
        html: '<h1>Hello</h1>',
        csp: { connectDomains: ['https://api.example', own.origin, `ws://localhost:${own.port}`, "'self'"] },
      },
    })
    const response = await fetch(gateway.url + path)
    expect(await response.text()).toBe('<h1>Hello</h1>')
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toContain('connect-src https://api.example;')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain('sandbox allow-scripts')
    expect(policy).not.toContain("'self' ")
    expect(policy).not.toContain(own.port)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect((await fetch(`${gateway.url}/console/views/guessed`)).status).toBe(404)
  })
})

it('brings a result that is longer than what a slow reader may be behind', async () => {
  const params = { name: 'texts_long', arguments: { times: 8 } }
  const { id } = await gateway.api.call('startCall', {
    body: { method: 'tools/call', params, client: client('modern') },
  })
  let length = 0
  for await (const { event } of gateway.api.stream('playgroundEvents', { params: { id } })) {
    if (event.type === 'result') length = (event.result.content as { text: string }[])[0]!.text.length
  }
  expect(length).toBeGreaterThan(7_999_000)
})
