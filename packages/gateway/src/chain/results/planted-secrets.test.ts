import { expect, it } from 'vitest'
import { complete, failure, ProtocolError, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { chainBench, modelOf } from '../chain.test.support.ts'
import { Lot, prose, SECRETS } from './planted-secrets.test.support.ts'
import { ResultCleaner } from './result-cleaner.ts'
import { ResultFindings } from './result-findings.ts'
import { resultsLink } from './results-link.ts'

const COUNT = 10_000
const SEED = 20_260_728

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const { results } = await modelOf({
  mcpServers: { a: { module: 'a' } },
  results: [{ mask: ['email', 'phone', 'card', 'iban', 'national-id', 'keys'] }],
})
const link = resultsLink(results, new ResultFindings())!
const cleaner = new ResultCleaner(results, () => {})

/** Every place where a target can say something. */
const SURFACES: Readonly<Record<string, (text: string, lot: Lot) => Outcome | JsonObject>> = {
  text: (text) => complete({ content: [{ type: 'text', text }] }),
  pieces: (text, lot) => {
    const at = lot.below(text.length)
    return complete({
      content: [text.slice(0, at), text.slice(at)].map((one) => ({ type: 'text', text: one })),
    })
  },
  base64: (text, lot) => {
    const once = Buffer.from(text).toString('base64')
    const encoded = lot.one([once, Buffer.from(once).toString('base64url')])
    return complete({ content: [{ type: 'text', text: `Basic ${encoded}, and so on` }] })
  },
  structured: (text, lot) => complete({ content: [], structuredContent: nested(text, lot) }),
  both: (text) =>
    complete({
      content: [{ type: 'text', text: JSON.stringify({ note: text }, undefined, 2) }],
      structuredContent: { note: text },
    }),
  resource: (text) => complete({ content: [{ type: 'resource', resource: { uri: 'a:b', text } }] }),
  blob: (text) => complete({ contents: [{ uri: 'a:b', blob: Buffer.from(text).toString('base64') }] }),
  link: (text) =>
    complete({ content: [{ type: 'resource_link', uri: 'a:b', name: text, description: text }] }),
  uri: (text) =>
    complete({ content: [{ type: 'resource_link', uri: `a:${encodeURIComponent(text)}`, name: 'n' }] }),
  written: (text, lot) => {
    const encoding = lot.one(['latin1', 'utf16le'] as const)
    const bytes = Buffer.from(`\uFEFF${text}`.slice(encoding === 'latin1' ? 1 : 0), encoding)
    return complete({ contents: [{ uri: 'a:b', blob: bytes.toString('base64') }] })
  },
  dataUri: (text) =>
    complete({
      content: [{ type: 'text', text: `at data:text/plain;base64,${Buffer.from(text).toString('base64')}` }],
    }),
  drawing: (text) =>
    complete({
      content: [
        { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from(text).toString('base64') },
        { type: 'resource_link', uri: 'a:b', name: 'n', title: text, annotations: { note: text } },
      ],
    }),
  meta: (text) => complete({ content: [], _meta: { [text]: 1, author: { [`x ${text}`]: [text] } } }),
  form: (text) => ({
    type: 'input_required',
    inputRequests: {
      q: {
        method: 'elicitation/create',
        params: {
          message: 'm',
          requestedSchema: { properties: { [text]: { title: text, description: text, default: text } } },
        },
      },
      s: {
        method: 'sampling/createMessage',
        params: { systemPrompt: text, messages: [{ role: 'user', content: { type: 'text', text } }] },
      },
    },
  }),
  prompt: (text) =>
    complete({ description: text, messages: [{ role: 'user', content: { type: 'text', text } }] }),
  completion: (text) => complete({ completion: { values: [text] } }),
  failed: (text) => complete({ isError: true, content: [{ type: 'text', text }] }),
  error: (text) => failure(new ProtocolError(-32000, text, { detail: [text] })),
  task: (text) => ({ type: 'task', task: { taskId: '1', statusMessage: text } }) as Outcome,
  taskResult: (text) => complete({ status: 'completed', result: { content: [{ type: 'text', text }] } }),
  question: (text) => ({
    type: 'input_required',
    inputRequests: { q: { method: 'elicitation/create', params: { message: text } } },
  }),
  progress: (text) => ({ method: 'notifications/progress', params: { progressToken: 1, message: text } }),
  log: (text) => ({ method: 'notifications/message', params: { level: 'info', data: { said: [text] } } }),
}

function nested(text: string, lot: Lot): JsonObject {
  let value: JsonObject = { [lot.one(['note', 'value', text])]: text }
  for (let level = lot.below(4); level > 0; level--)
    value = lot.one([{ a: value }, { list: [1, value, null] }])
  return value
}

async function said(made: Outcome | JsonObject): Promise<string> {
  const heard: unknown[] = []
  const exchange = bench.exchange('tools/call', {}, { notify: (one) => void heard.push(one) })
  const isNotification = 'method' in made
  const outcome = await link(exchange, async () => {
    if (!isNotification) return made as Outcome
    exchange.notify(made as never)
    return complete({})
  })
  if (isNotification) expect(heard).toHaveLength(1)
  const json = JSON.stringify([outcome, heard])
  const together = json.replaceAll('"},{"type":"text","text":"', '')
  return [json, together, inBase64(json), inBase64(inBase64(json))].map(readable).join('\n')
}

function inBase64(text: string): string {
  const runs = text.match(/(?<![\w+/-])[\w+/-]{16,}/g) ?? []
  return runs.map((run) => Buffer.from(run, 'base64').toString('latin1')).join('\n')
}

/** Whether the result would be passed on as it came, unread. */
function passesUnread(made: Outcome | JsonObject): boolean {
  return made.type === 'complete' && cleaner.isCleanJson(JSON.stringify(made.result))
}

/** As an attacker would read it: without escapes and encodings. */
function readable(json: string): string {
  const decoded = json
    .replaceAll(/(?:"(?:blob|data)":"|;base64,)([\w+/]+=*)/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString('latin1'),
    )
    .replaceAll('\0', '')
  const escaped = decoded.replaceAll(String.raw`\\n`, '\n').replaceAll(String.raw`\n`, '\n')
  return `${escaped}\n${escaped.replaceAll(/(?:%[\dA-F]{2})+/g, withoutPercents)}`
}

/** What was made by lot may look like an escape. */
function withoutPercents(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return escaped
  }
}

it(`lets none of ${COUNT} planted secrets through, in no place and of no kind`, async () => {
  const lot = new Lot(SEED)
  const leaks: string[] = []
  const kinds = Object.entries(SECRETS)
  const surfaces = Object.entries(SURFACES)
  for (let at = 0; at < COUNT; at++) {
    const [kind, make] = kinds[at % kinds.length]!
    const [surface, wrap] = surfaces[Math.floor(at / kinds.length) % surfaces.length]!
    const secret = make(lot)
    const made = wrap(prose(lot, secret), lot)
    const shown = await said(made)
    if (passesUnread(made)) leaks.push(`${kind} in the JSON of ${surface}`)
    if (shown.includes(secret) || shown.includes(secret.slice(4, -2)))
      leaks.push(`${kind} in ${surface}: ${shown}`)
  }
  expect(leaks.slice(0, 3), `seed ${SEED}, ${leaks.length} leaks`).toEqual([])
})
