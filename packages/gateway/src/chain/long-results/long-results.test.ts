import { describe, expect, it } from 'vitest'
import { isJsonObject, type AuthInfo, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import { Server, text, tool, ToolResult } from '@gantry/mcp/server'
import { chainBench, liveExchange, modelOf } from '../chain.test.support.ts'
import { KeptShares } from './kept-shares.ts'
import { shortenResult } from './shorten-result.ts'
import { tokensOf } from './tokens.ts'

const LINES = Array.from({ length: 5000 }, (_, at) => `line ${at} of the report`).join('\n')

describe('a long result', () => {
  const kept: string[] = []
  const keep = async (whole: string): Promise<string> => {
    kept.push(whole)
    return 'gantry-result:1'
  }
  const how = { maxTokens: 1000, dropRepeated: false, isPromised: false }

  it('is cut to its head and its tail, with a link to all of it', async () => {
    const result = await shortenResult({ content: [{ type: 'text', text: LINES }] }, how, keep)
    const [cut, link] = result.content as JsonObject[]
    expect(cut!.text).toMatch(/^line 0 of/)
    expect(cut!.text).toMatch(/line 4999 of the report$/)
    expect(tokensOf(cut!.text as string)).toBeLessThan(1100)
    expect(link).toMatchObject({ type: 'resource_link', uri: 'gantry-result:1' })
    expect(kept).toEqual([LINES])
  })

  it('leaves short texts beside long ones as they are', async () => {
    const short = { type: 'text', text: 'in short' }
    const result = await shortenResult({ content: [short, { type: 'text', text: LINES }] }, how, keep)
    expect((result.content as unknown[])[0]).toBe(short)
  })

  it.each<[string, (at: number) => JsonObject]>([
    ['texts', (at) => ({ type: 'text', text: `note ${at}` })],
    ['links', (at) => ({ type: 'resource_link', uri: `a:${at}`, name: `note ${at}` })],
    ['long texts', (at) => ({ type: 'text', text: `note ${at} `.repeat(500) })],
  ])('of thousands of %s has the first and the last of them', async (_what, part) => {
    kept.length = 0
    const image = { type: 'image', data: 'AAAA' }
    const content = [image, ...Array.from({ length: 5000 }, (_, at) => part(at))]
    const shown = (await shortenResult({ content }, how, keep)).content as JsonObject[]
    expect(tokensOf(JSON.stringify(shown))).toBeLessThan(how.maxTokens * 4)
    expect(shown[0]).toBe(image)
    expect(JSON.stringify(shown[1])).toContain('note 0')
    expect(JSON.stringify(shown.at(-2))).toContain('note 4999')
    const words = shown.find(({ text }) =>
      String(text).includes(' parts left out; all of it: gantry-result:1'),
    )
    const left = Number(/(\d+) parts/.exec(String(words?.text))?.[1])
    // Beside what is shown there are the words about the rest, and the link to it.
    expect(left + shown.length - 2).toBe(content.length)
    expect(kept).toHaveLength(1)
    expect(kept[0]).toContain('note 2500')
  })

  it('is the same when it is short enough', async () => {
    const result = {
      content: [
        { type: 'text', text: 'short' },
        { type: 'image', data: 'A'.repeat(10_000) },
      ],
    }
    expect(await shortenResult(result, how, keep)).toBe(result)
  })

  it('becomes a text when it is structured, unless the tool promises structure', async () => {
    const structuredContent = { lines: LINES.split('\n') }
    const result = await shortenResult({ content: [], structuredContent }, how, keep)
    expect(result.structuredContent).toBeUndefined()
    expect(result.content).toHaveLength(2)
    const promised = { content: [], structuredContent }
    expect(await shortenResult(promised, { ...how, isPromised: true }, keep)).toBe(promised)
  })

  it('has no long members of _meta, neither its own nor of its parts', async () => {
    kept.length = 0
    const long = { 'x/table': LINES, 'x/short': 1 }
    const content = [
      { type: 'text', text: 'short', _meta: { 'x/html': LINES } },
      { type: 'resource', resource: { uri: 'a:b', text: 'b', _meta: long } },
    ]
    const result = await shortenResult({ content, _meta: { ...long, 'x/cut': LINES } }, how, keep)
    expect(result).toEqual({
      _meta: { 'x/short': 1 },
      content: [
        { type: 'text', text: 'short' },
        { type: 'resource', resource: { uri: 'a:b', text: 'b', _meta: { 'x/short': 1 } } },
        expect.objectContaining({ type: 'resource_link', uri: 'gantry-result:1' }),
      ],
    })
    expect(Object.keys(JSON.parse(kept.join()) as object).toSorted()).toEqual([
      '_meta.x/cut',
      '_meta.x/table',
      'content.0._meta.x/html',
      'content.1.resource._meta.x/table',
    ])
  })

  it('has links in the place of long embedded files', async () => {
    const files: [string, string | undefined][] = []
    const keepFile = async (bytes: string, type?: string): Promise<string> => {
      files.push([bytes, type])
      return `gantry-result:${files.length}`
    }
    const embedded = (blob: string): JsonObject => ({
      type: 'resource',
      resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob },
    })
    const result = await shortenResult(
      { content: [embedded('A'.repeat(40_000)), embedded('AAAA')] },
      how,
      keepFile,
    )
    expect(result.content).toEqual([
      expect.objectContaining({
        type: 'resource_link',
        uri: 'gantry-result:1',
        mimeType: 'application/zip',
        size: 30_000,
      }),
      embedded('AAAA'),
    ])
    expect(files).toEqual([['A'.repeat(40_000), 'application/zip']])
    const gone = await shortenResult({ content: [embedded('A'.repeat(40_000))] }, how, async () => undefined)
    expect(JSON.stringify(gone)).toContain('a file of 30000 bytes left out; it is not kept')
  })

  it('has no text that only repeats its structure, where that is wanted', async () => {
    const structuredContent = { a: [1, 2.5, 'x'] }
    const content = [
      { type: 'text', text: JSON.stringify(structuredContent, undefined, 2) },
      { type: 'text', text: 'said in words' },
    ]
    const result = await shortenResult({ content, structuredContent }, { ...how, dropRepeated: true }, keep)
    expect(result.content).toEqual([content[1]])
  })
})

describe('the rest of a long result', async () => {
  const app = new Server({ name: 'a', tools: { report: tool({ run: () => text(LINES) }) } })
  const { gateway } = await chainBench({ a: app }, { results: [{ maxTokens: 500 }] })
  const ann: AuthInfo = { principal: { kind: 'person', issuer: 'i', subject: 'ann' }, scopes: [] } as never
  const bo: AuthInfo = { principal: { kind: 'person', issuer: 'i', subject: 'bo' }, scopes: [] } as never
  const ask = (method: string, params: JsonObject, auth: AuthInfo): Promise<Outcome> =>
    Promise.resolve(gateway.endpoint()!.respond(liveExchange(method, params, { auth })))

  async function linkFor(auth: AuthInfo): Promise<string> {
    const outcome = await ask('tools/call', { name: 'a_report' }, auth)
    const { content } = (outcome as { result: JsonObject }).result
    return String((content as JsonObject[]).find((item) => isJsonObject(item) && item.uri)!.uri)
  }

  const read = async (uri: string, auth = ann): Promise<unknown> => {
    const outcome = await ask('resources/read', { uri }, auth)
    return outcome.type === 'complete' ? (outcome.result.contents as JsonObject[])[0]!.text : outcome
  }

  it('is read in pages', async () => {
    const uri = await linkFor(ann)
    const pages: string[] = []
    for (let page = 1; page <= 8; page++) pages.push(String(await read(`${uri}?page=${page}`)))
    expect(pages.map((page) => page.replace(/\n\[Page [^\n]*$/, '')).join('')).toContain(
      LINES.slice(0, 100_000),
    )
    expect(await read(`${uri}?page=99`)).toMatch(/There are pages 1 to \d/)
  })

  it('is never cut within a character', async () => {
    const signs = 'a' + '😀'.repeat(40_000)
    const faces = new Server({ name: 'f', tools: { smile: tool({ run: () => signs }) } })
    const { gateway: own } = await chainBench({ f: faces }, { results: [{ maxTokens: 500 }] })
    const answer = async (method: string, params: JsonObject): Promise<JsonObject> =>
      ((await own.endpoint()!.respond(liveExchange(method, params, { auth: ann }))) as { result: JsonObject })
        .result
    const { content } = await answer('tools/call', { name: 'f_smile' })
    const [cut, link] = content as { text: string; uri: string }[]
    const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
    expect(cut!.text).not.toMatch(half)
    let all = ''
    for (let page = 1; page <= 6; page++) {
      const { contents } = await answer('resources/read', { uri: `${link!.uri}?page=${page}` })
      const text = String((contents as JsonObject[])[0]!.text).replace(/\n\[Page [^\n]*$/, '')
      expect(text).not.toMatch(half)
      all += text
    }
    expect(all).toBe(signs)
  })

  it('is a file again when it was one', async () => {
    const blob = Buffer.from(LINES).toString('base64')
    const resource = { uri: 'file:///lines.zip', mimeType: 'application/zip', blob }
    const files = new Server({
      name: 'f',
      tools: { pack: tool({ run: () => new ToolResult({ content: [{ type: 'resource', resource }] }) }) },
    })
    const { gateway: own } = await chainBench({ f: files }, { results: [{ maxTokens: 500 }] })
    const answer = async (method: string, params: JsonObject, auth: AuthInfo): Promise<Outcome> =>
      own.endpoint()!.respond(liveExchange(method, params, { auth }))
    const called = await answer('tools/call', { name: 'f_pack' }, ann)
    const [link] = (called as unknown as { result: { content: JsonObject[] } }).result.content
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'application/zip' })
    const { uri } = link!
    expect(await answer('resources/read', { uri }, ann)).toMatchObject({
      result: { contents: [{ uri, mimeType: 'application/zip', blob }] },
    })
    expect(await answer('resources/read', { uri }, bo)).toMatchObject({ type: 'error' })
  })

  it('can be searched', async () => {
    const uri = await linkFor(ann)
    expect(await read(`${uri}?search=line%204321`)).toBe('4322: line 4321 of the report')
    expect(await read(`${uri}?search=nothing`)).toBe('No line holds "nothing".')
  })

  it('is there for its caller alone, and not told from what does not exist', async () => {
    const uri = await linkFor(ann)
    const missing = 'gantry-result:AAAA'
    const foreign = JSON.stringify(await ask('resources/read', { uri }, bo))
    expect(foreign).not.toContain('line 0')
    expect(foreign.replaceAll(uri, 'X')).toBe(
      JSON.stringify(await ask('resources/read', { uri: missing }, bo)).replaceAll(missing, 'X'),
    )
  })

  it('is gone for a caller who may no longer use the tool, and nobody can tell it from nothing', async () => {
    const uri = await linkFor(ann)
    expect(await read(uri)).toContain('line 0')
    const config = { mcpServers: { a: { module: 'a' } }, results: [{ maxTokens: 500 }] }
    await gateway.apply(await modelOf({ ...config, policy: { rules: [{ deny: ['tools:a/report'] }] } }))
    const missing = 'gantry-result:AAAA'
    expect(JSON.stringify(await ask('resources/read', { uri }, ann)).replaceAll(uri, 'X')).toBe(
      JSON.stringify(await ask('resources/read', { uri: missing }, ann)).replaceAll(missing, 'X'),
    )
    await gateway.apply(await modelOf(config))
    expect(await read(uri)).toContain('line 0')
  })

  it('is gone when the rules hide more of it, or the call that it came from, and is back when they do not', async () => {
    const outcome = await ask('tools/call', { name: 'a_report', arguments: { year: 1999 } }, ann)
    const { content } = (outcome as unknown as { result: { content: JsonObject[] } }).result
    const uri = String(content.find((item) => item.uri)!.uri)
    const config = { mcpServers: { a: { module: 'a' } }, results: [{ maxTokens: 500 }] }
    const mask = { mask: [{ pattern: 'line \\d+', name: 'lines' }] }
    const denied = { deny: ['tools:a/report'], when: 'args.year < 2000' }
    const counted = { deny: ['tools:a/report'], when: 'count("1h") > 1000' }
    for (const [change, isThere] of [
      [{ results: [{ maxTokens: 500 }, mask] }, false],
      [{ results: [{ maxTokens: 500, for: ['tools:a/*'], ...mask }] }, false],
      [{ results: [{ maxTokens: 500 }, { for: ['tools:other/*'], ...mask }] }, true],
      [{ results: [{ maxTokens: 400 }] }, true],
      [{ policy: { rules: [denied] } }, false],
      [{ policy: { rules: [{ ...denied, when: 'args.year > 2000' }] } }, true],
      [{ policy: { rules: [counted] } }, true],
      [{}, true],
    ] as const) {
      await gateway.apply(await modelOf({ ...config, ...change }))
      expect([change, String(await read(uri)).startsWith('line 0')]).toEqual([change, isThere])
    }
  })

  it.each(['', '?page=1', `${'A'.repeat(2000)}`, '%00', '../x', '\ud800', '#'])(
    'is not found, nor a fault, at gantry-result:%s',
    async (rest) => {
      const outcome = await ask('resources/read', { uri: `gantry-result:${rest}` }, ann)
      expect(outcome).toMatchObject({
        type: 'error',
        error: { message: expect.stringMatching(/not found/i) },
      })
    },
  )
})

describe('what is kept of long results', () => {
  const MIB = 1024 * 1024
  const kept = (id: string, bytes: number, expires = Infinity) => ({ id, bytes, expires })

  it('has a share for each caller: the oldest of its own make room', () => {
    const shares = new KeptShares()
    for (const id of ['1', '2', '3', '4']) expect(shares.take('ann', kept(id, 4 * MIB))).toEqual([])
    expect(shares.take('ann', kept('5', 6 * MIB))).toEqual(['1', '2'])
    expect(shares.take('ann', kept('6', 17 * MIB))).toBeUndefined()
    expect(shares.take('bo', kept('7', MIB))).toEqual([])
  })

  it('has a number for each caller', () => {
    const shares = new KeptShares()
    for (let at = 0; at < 100; at++) expect(shares.take('ann', kept(String(at), 1))).toEqual([])
    expect(shares.take('ann', kept('more', 1))).toEqual(['0'])
  })

  it('is bounded in all, and what has ended makes room', () => {
    const shares = new KeptShares()
    for (const caller of ['ann', 'bo'])
      expect(shares.take(caller, kept(caller, 16 * MIB, 100), 0)).toEqual([])
    expect(shares.take('cy', kept('c', MIB), 50)).toBeUndefined()
    expect(shares.take('cy', kept('c', MIB), 100)).toEqual([])
  })

  it('does not fail a call whose result has no room: it is cut, and says so', async () => {
    const app = new Server({
      name: 'a',
      tools: { much: tool({ run: () => text(`${'much '.repeat(1_000_000)}end`) }) },
    })
    const { gateway } = await chainBench({ a: app }, { results: [{ maxTokens: 100 }] })
    const outcome = await gateway.endpoint()!.respond(liveExchange('tools/call', { name: 'a_much' }))
    const { content } = (outcome as unknown as { result: { content: JsonObject[] } }).result
    expect(content).toHaveLength(1)
    expect(content[0]!.text).toMatch(/they are not kept: ask for less …\]\n.*end$/)
  })
})
