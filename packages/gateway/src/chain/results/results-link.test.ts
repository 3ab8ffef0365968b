import { describe, expect, it } from 'vitest'
import { complete, failure, ProtocolError, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import type { RawResultRule } from '../../model/index.ts'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import { answering, chainBench, modelOf } from '../chain.test.support.ts'
import { ResultCleaner } from './result-cleaner.ts'
import { ResultFindings } from './result-findings.ts'
import { resultsLink } from './results-link.ts'

type Complete = Extract<Outcome, { type: 'complete' }>

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const MAIL = 'ann@example.com'

async function linkFor(rule: RawResultRule) {
  const findings = new ResultFindings()
  const { results } = await modelOf({ mcpServers: { a: { module: 'a' } }, results: [rule] })
  return { findings, link: resultsLink(results, findings)! }
}

async function through(rule: RawResultRule, outcome: Outcome, schema?: JsonObject): Promise<Outcome> {
  const { link } = await linkFor(rule)
  const exchange = bench.exchange('tools/call')
  if (schema) {
    const entry = { item: { outputSchema: schema } }
    Object.assign(exchange, { resolved: { kind: 'tools', name: 't', target: { name: 'a' }, entry } })
  }
  return link(exchange, answering(outcome).next)
}

const text = (words: string) => ({ content: [{ type: 'text', text: words }] })

const base64 = (words: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(words, encoding).toString('base64')

describe('what a rule finds', () => {
  const blob = base64(`name,mail\nann,${MAIL}\n`)
  it.each<[string, Outcome]>([
    ['a text', complete(text(`write to ${MAIL}`))],
    ['structured content', complete({ content: [], structuredContent: { who: [{ mail: MAIL }] } })],
    ['the name of a field', complete({ content: [], structuredContent: { [MAIL]: 1 } })],
    [
      'an embedded resource',
      complete({ content: [{ type: 'resource', resource: { uri: 'a:b', text: MAIL } }] }),
    ],
    ['bytes that are text', complete({ contents: [{ uri: 'a:b', blob }] })],
    ['bytes in Latin-1', complete({ contents: [{ uri: 'a:b', blob: base64(`Jörg, ${MAIL}`, 'latin1') }] })],
    ['bytes of Windows', complete({ contents: [{ uri: 'a:b', blob: base64(`\uFEFF${MAIL}`, 'utf16le') }] })],
    [
      'a drawing',
      complete({ content: [{ type: 'image', mimeType: 'image/svg+xml', data: base64(`<text>${MAIL}`) }] }),
    ],
    ...['image/SVG+XML', 'image/svg'].map((mimeType): [string, Outcome] => [
      `a drawing of the type ${mimeType}`,
      complete({ content: [{ type: 'image', mimeType, data: base64(`Jörg, ${MAIL}`, 'latin1') }] }),
    ]),
    [
      'a text that is called an image',
      complete({ content: [{ type: 'image', mimeType: 'image/png', data: base64(`write to ${MAIL}`) }] }),
    ],
    [
      'a text in the place of bytes',
      complete({ content: [{ type: 'audio', mimeType: 'audio/wav', data: MAIL }], blob: MAIL }),
    ],
    ...[{ taskId: MAIL }, { mode: 'url', url: MAIL }, { type: 'image', data: MAIL }].map(
      (_meta): [string, Outcome] => [
        `what looks like the protocol's in metadata: ${Object.keys(_meta).join()}`,
        complete({ content: [], _meta: { one: _meta } }),
      ],
    ),
    ['a data URI', complete(text(`see data:text/plain;base64,${base64(MAIL)}`))],
    ['the source of an icon', complete({ content: [], icons: [{ src: `data:a/b;base64,${base64(MAIL)}` }] })],
    ['what only looks like an id of the protocol', complete({ content: [{ type: 'text', taskId: MAIL }] })],
    ['the name of metadata', complete({ content: [], _meta: { [MAIL]: 1 } })],
    ['a link', complete({ content: [{ type: 'resource_link', uri: `mailto:${MAIL}`, name: MAIL }] })],
    [
      'a URI with escapes',
      complete({ content: [{ type: 'resource_link', uri: 'x:ann%40example.com', name: 'n' }] }),
    ],
    ['a URI within another', complete(text('go to https://a.example/?to=%2F%3Fmail%3Dann%2540example.com'))],
    [
      'several spellings at once',
      complete(
        text(
          'a: ann%40example.com, b: ann&#64;example.com, c: ann\\u0040example.com, d: ａｎｎ＠example.com',
        ),
      ),
    ],
    ['a prompt', complete({ messages: [{ role: 'user', content: { type: 'text', text: MAIL } }] })],
    ['an error', failure(new ProtocolError(-32000, `no ${MAIL}`, { mail: MAIL }))],
    ['the cause of an error', failure(new ProtocolError(-32000, 'no'), new Error(MAIL))],
    [
      'a question',
      {
        type: 'input_required',
        inputRequests: { q: { method: 'elicitation/create', params: { message: MAIL } } },
      },
    ],
    ['a task', { type: 'task', task: { taskId: '1', statusMessage: MAIL } } as Outcome],
    ['the result of a task', complete({ status: 'completed', result: text(MAIL) })],
    ['JSON with escapes', complete(text('{"mail":"ann\\u0040example.com"}'))],
    ['signs between the letters', complete(text('an\u200Bn@exam\u2060ple.com'))],
    ['wide letters', complete(text('ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ'))],
    ['HTML', complete(text('ann&#64;example.com'))],
    ['metadata', complete({ content: [], _meta: { author: MAIL } })],
  ])('is not in %s', async (_what, outcome) => {
    const shown = await through({ mask: ['email'] }, outcome)
    const all = JSON.stringify([shown, shown.type === 'error' ? String(shown.cause) : ''])
    const decoded = all
      .replaceAll(/(?:"(?:blob|data)":"|;base64,)([\w+/]+=*)/g, (_, data: string) => atob(data))
      .replaceAll('\0', '')
    expect(decoded.normalize('NFKC')).not.toMatch(/ann.{0,6}(?:@|%(?:25)*40|&#64;|\\\\+u0040)/)
    expect(decoded).toContain('[masked email]')
  })

  it('is not in notifications and questions', async () => {
    const { link } = await linkFor({ mask: ['email'] })
    const heard: unknown[] = []
    const exchange = bench.exchange(
      'tools/call',
      {},
      {
        notify: (notification) => void heard.push(notification),
        ask: async (questions) => {
          heard.push(questions)
          return {}
        },
      },
    )
    await link(exchange, async () => {
      exchange.notify({ method: 'notifications/progress', params: { progressToken: 1, message: MAIL } })
      exchange.notify({ method: 'notifications/message', params: { level: 'info', data: { to: MAIL } } })
      await exchange.ask!({ q: { method: 'elicitation/create', params: { message: MAIL } } })
      return complete(text(''))
    })
    expect(heard).toHaveLength(3)
    expect(JSON.stringify(heard)).not.toContain('ann@')
  })

  it('is left in the URI of a resource that the caller has subscribed to', async () => {
    const { link } = await linkFor({ mask: ['email'] })
    const heard: unknown[] = []
    const exchange = bench.exchange('subscriptions/listen', {}, { notify: (one) => void heard.push(one) })
    await link(exchange, async () => {
      const params = { uri: `crm://${MAIL}`, title: MAIL }
      exchange.notify({ method: 'notifications/resources/updated', params })
      return complete({})
    })
    expect(heard).toMatchObject([{ params: { uri: `crm://${MAIL}`, title: '[masked email]' } }])
  })

  it('is not in the pieces of a result that come with progress: it could begin in one and end in another', async () => {
    const { link } = await linkFor({ mask: ['email'] })
    const heard: unknown[] = []
    const exchange = bench.exchange('tools/call', {}, { notify: (one) => void heard.push(one) })
    await link(exchange, async () => {
      for (const piece of [MAIL.slice(0, 6), MAIL.slice(6)]) {
        const _meta = { 'dev.gantry/partialContent': { type: 'text', text: piece }, more: 1 }
        exchange.notify({
          method: 'notifications/progress',
          params: { progressToken: 1, progress: 1, _meta },
        })
      }
      return complete(text(MAIL))
    })
    const progress = {
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 1, _meta: { more: 1 } },
    }
    expect(heard).toEqual([progress, progress])
  })

  it('is not in what is recorded of the target', async () => {
    const record: Pick<ExchangeRecord, 'clean'> = {}
    const exchange = Object.assign(bench.exchange('tools/call'), { record })
    const [masking, refusing] = [await linkFor({ mask: ['email'] }), await linkFor({ refuse: ['email'] })]
    await masking.link(exchange, answering(complete({})).next)
    expect(JSON.stringify(record.clean!({ result: text(MAIL) }))).toContain('[masked email]')
    await refusing.link(exchange, answering(complete({})).next)
    expect(record.clean!({ result: text(MAIL) })).toEqual({ withheld: true })
  })

  it('is counted', async () => {
    const { link, findings } = await linkFor({ mask: ['email'] })
    await link(bench.exchange('tools/call'), answering(complete(text(`${MAIL} ${MAIL}`))).next)
    expect(findings.counts).toEqual({ email: { mask: 2, drop: 0, refuse: 0 } })
  })
})

describe('what is left', () => {
  it('stays the same where nothing is found', async () => {
    const outcome = complete({ ...text('hello'), structuredContent: { id: 1, at: '2024-01-01' } })
    expect(await through({ mask: ['email', 'card', 'keys', 'national-id', 'phone'] }, outcome)).toEqual(
      outcome,
    )
  })

  it('keeps what the protocol needs', async () => {
    const opaque = 'x9Kq2LmP7vRt4WzB8nYc5DfG'
    const outcome: Outcome = { type: 'task', task: { taskId: opaque, statusMessage: opaque } } as Outcome
    expect(await through({ mask: ['high-entropy'] }, outcome)).toMatchObject({
      task: { taskId: opaque, statusMessage: '[masked high-entropy]' },
    })
  })

  it('keeps the id of a task that a message is about, and images', async () => {
    const taskId = 'x9Kq2LmP7vRt4WzB8nYc5DfG'
    const outcome = complete({
      content: [
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ' },
      ],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    })
    expect(await through({ mask: ['high-entropy'] }, outcome)).toEqual(outcome)
  })

  it('fits the schema of the tool', async () => {
    const schema = {
      type: 'object',
      required: ['mail', 'card', 'short'],
      properties: {
        mail: { $ref: '#/$defs/mail' },
        card: { type: 'integer', minimum: 1 },
        short: { type: 'string', maxLength: 5 },
      },
      $defs: { mail: { type: 'string', format: 'email' } },
    }
    const structuredContent = { mail: MAIL, card: 4111111111111111, short: 'a@b.example' }
    const shown = await through(
      { mask: ['email', 'card'] },
      complete({ content: [], structuredContent }),
      schema,
    )
    expect(shown).toMatchObject({
      result: { structuredContent: { mail: 'masked@masked.invalid', card: 1, short: '[mask' } },
    })
  })

  it('is nothing when it would not fit the schema', async () => {
    const schema = { type: 'object', properties: { mail: { enum: [MAIL] } } }
    const outcome = complete({ content: [], structuredContent: { mail: MAIL } })
    await expect(through({ mask: ['email'] }, outcome, schema)).rejects.toThrow('would not fit its schema')
  })

  it('has as many names as before, in time, when all of them become the same', async () => {
    const names = Array.from({ length: 20_000 }, (_, at) => [`ann${at}@example.com`, 1])
    const outcome = complete({ content: [], structuredContent: Object.fromEntries(names) })
    const began = performance.now()
    const shown = (await through({ mask: ['email'] }, outcome)) as Complete
    expect(performance.now() - began).toBeLessThan(5000)
    const given = Object.keys(shown.result.structuredContent as object)
    expect(given).toHaveLength(20_000)
    expect(given.join()).not.toContain('ann')
  })

  it('is marked as untrusted where the rule says so', async () => {
    const shown = await through({ untrusted: true }, complete({ ...text('hello'), _meta: { a: 1 } }))
    expect(shown).toMatchObject({ result: { _meta: { a: 1, 'dev.gantry/untrusted': true } } })
  })

  it('has no hidden signs where the rule says so', async () => {
    const shown = await through({ stripHidden: true }, complete(text('a\u202Eb\u200Bc')))
    expect(shown).toMatchObject({ result: text('abc') })
  })
})

describe('a path', () => {
  const rule: RawResultRule = { mask: [{ path: 'people.*.ssn', name: 'number' }] }
  const people = [
    { name: 'Ann', ssn: 'x-12-3456' },
    { name: 'Bo', ssn: 987654 },
  ]

  it('hides values in structured content, in its text, and wherever they are repeated', async () => {
    const outcome = complete({
      content: [
        { type: 'text', text: JSON.stringify({ people }, undefined, 2) },
        { type: 'text', text: 'Ann has x-12-3456, Bo has 987654.' },
      ],
      structuredContent: { people },
    })
    const shown = await through(rule, outcome)
    expect(shown).toMatchObject({
      result: {
        content: [
          { text: expect.stringContaining('"ssn": "[masked number]"') },
          { text: 'Ann has [masked number], Bo has [masked number].' },
        ],
        structuredContent: { people: [{ name: 'Ann', ssn: '[masked number]' }, { ssn: '[masked number]' }] },
      },
    })
    expect(JSON.stringify(shown)).not.toMatch(/3456|987654/)
  })

  it('hides values in JSON within other words', async () => {
    const note = 'says "no",\nand left'
    const structuredContent = { people: [{ ssn: note }] }
    const words = `They are:\n${JSON.stringify(structuredContent)}, and so on`
    const shown = await through(rule, complete({ ...text(words), structuredContent }))
    expect(JSON.stringify(shown)).toContain('[masked number]')
    expect(JSON.stringify(shown)).not.toMatch(/says|left/)
  })

  it.each<[string, unknown]>([
    ['people.0.ssn', { people: [{ name: 'Ann' }, { name: 'Bo', ssn: 987654 }] }],
    ['**.ssn', { people: [{ name: 'Ann' }, { name: 'Bo' }] }],
    ['people.*', { people: [] }],
    ['**', {}],
  ])('%s drops what stands there', async (path, structuredContent) => {
    const shown = await through(
      { drop: [{ path }] },
      complete({ content: [], structuredContent: { people } }),
    )
    if (path === '**') expect(JSON.stringify(shown)).not.toContain('Ann')
    else expect(shown).toMatchObject({ result: { structuredContent } })
  })

  it('takes no longer for many stars', async () => {
    let deep: JsonObject = { end: 'here it is' }
    for (let level = 0; level < 400; level++) deep = { a: deep }
    const path = `${'**.'.repeat(12)}end`
    const shown = await through({ mask: [{ path }] }, complete({ content: [], structuredContent: deep }))
    expect(JSON.stringify(shown)).not.toContain('here it is')
  })
})

describe('a result that is refused', () => {
  it('is not passed on, and the error does not repeat it', async () => {
    const refused = through({ refuse: ['email'] }, complete(text(MAIL)))
    await expect(refused).rejects.toThrow('withholds this result: it holds email')
    await expect(refused).rejects.not.toThrow('ann@')
  })

  it('takes its notifications with it', async () => {
    const { link } = await linkFor({ refuse: [{ pattern: 'EMP-\\d{4}', name: 'staff number' }] })
    const heard: unknown[] = []
    const exchange = bench.exchange('tools/call', {}, { notify: (one) => void heard.push(one) })
    await link(exchange, async () => {
      exchange.notify({ method: 'notifications/progress', params: { progressToken: 1, message: 'EMP-1234' } })
      return complete(text('done'))
    })
    expect(heard).toEqual([])
  })
})

describe('a result as it came', () => {
  const isClean = async (json: string, rule: RawResultRule = { mask: ['email', 'keys'] }) => {
    const { results } = await modelOf({ mcpServers: { a: { module: 'a' } }, results: [rule] })
    return new ResultCleaner(results, () => {}).isCleanJson(json)
  }
  const CLEAN =
    '{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}},' +
    '"content":[{"type":"text","text":"hello"}],"structuredContent":{"said":"hello"}}'

  it('is passed on unread when nothing in it could be found', async () => {
    expect(await isClean(CLEAN)).toBe(true)
  })

  it.each([
    ['a member twice', `{"content":[{"type":"text","text":"${MAIL}"}],"content":[]}`],
    ['escapes', String.raw`{"content":[{"type":"text","text":"ann\u0040example.com"}]}`],
    ['entities', '{"content":[{"type":"text","text":"ann&commat;example.com"}]}'],
    ['signs that look like others', '{"content":[{"type":"text","text":"ann\uFF20example.com"}]}'],
    ['texts that go on in the next', '{"content":[{"text":"ann@exam"},{"text":"ple.com"}]}'],
    ['the same with spaces', '{"content":[{"text" : "ann@exam"},{"text"\n: "ple.com"}]}'],
    ['bytes', '{"contents":[{"uri":"a:b","blob":"YW5uQGV4YW1wbGUuY29t"}]}'],
    ['a name like one that is known', '{"structuredContent":{"structuredContentOfAnn":1}}'],
  ])('is read when it has %s', async (_, json) => {
    expect(await isClean(json)).toBe(false)
  })

  it.each<[string, RawResultRule]>([
    ['patterns', { mask: [{ pattern: 'z+', name: 'z' }] }],
    ['paths', { mask: [{ path: 'said', name: 'words' }] }],
  ])('is read where rules have %s', async (_, rule) => {
    expect(await isClean(CLEAN, rule)).toBe(false)
  })
})
