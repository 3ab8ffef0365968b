import { ServerConnection, type RequestContext, type Served } from '../exchange/index.ts'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { requireKnownOptions } from '../protocol/index.ts'

/** A line-by-line connection to a server: in memory, a process, a socket. */
export interface LineChannel {
  send(line: string): void
  /** Set by the runner. */
  onLine: ((line: string) => void) | undefined
}

export interface TranscriptDifference {
  /** The line of the transcript, from 1. */
  line: number
  expected: string | undefined
  found: string | undefined
}

export interface TranscriptRun {
  /** The transcript as it went this time: what to write to the file when recording. */
  text: string
  differences: TranscriptDifference[]
}

/** Members whose values change from run to run; transcripts have a name in their place. */
const VOLATILE: readonly string[] = ['requestState', 'elicitationId']
const PLACEHOLDER = /^<[\w-]+>$/
const SILENCE = 25
const PATIENCE = 5_000

export function memoryLines(served: Served, context: RequestContext = {}): LineChannel & { close(): void } {
  const connection = new ServerConnection(served, {
    context,
    send: (text) => queueMicrotask(() => channel.onLine?.(text)),
  })
  const channel: LineChannel & { close(): void } = {
    onLine: undefined,
    send: (line) => void connection.receiveText(line),
    close: () => connection.close(),
  }
  return channel
}

/**
 * Plays a transcript's client lines (`> `) and compares what the server says with its server lines (`< `), in
 * order. With `record` it takes down what the server says instead. Values that differ from run to run stand as
 * `<name>`: the first server line that has it sets it, client lines send it back.
 *
 * ```
 * # A comment.
 * > {"jsonrpc":"2.0","id":1,"method":"ping"}
 * < {"jsonrpc":"2.0","id":1,"result":{}}
 * ```
 */
export async function runTranscript(
  channel: LineChannel,
  transcript: string,
  options: { record?: boolean } = {},
): Promise<TranscriptRun> {
  requireKnownOptions('transcript', { record: 'true or false' }, options)
  const inbox = new Inbox(channel)
  const values = new Map<string, string>()
  const written: string[] = []
  const differences: TranscriptDifference[] = []
  for (const block of blocksOf(transcript)) {
    written.push(...block.before)
    for (const line of block.client) {
      written.push(`> ${line}`)
      const filled = fillIn(line, values)
      inbox.sent(filled)
      channel.send(filled)
    }
    const found = options.record ? await inbox.untilSilent() : await inbox.take(block.server.length)
    const count = Math.max(found.length, options.record ? 0 : block.server.length)
    for (let at = 0; at < count; at++) {
      const line = found[at]
      if (options.record) {
        written.push(`< ${withNames(line!, values)}`)
        continue
      }
      const expected = block.server[at]
      if (line !== undefined) written.push(`< ${line}`)
      if (!expected || line === undefined || !isSame(expected.text, line, values)) {
        differences.push({ line: expected?.line ?? block.end, expected: expected?.text, found: line })
      }
    }
  }
  return { text: `${written.join('\n')}\n`, differences }
}

/** Client lines, and what the server says until the client speaks again. */
interface Block {
  before: string[]
  client: string[]
  server: { text: string; line: number }[]
  end: number
}

function blocksOf(transcript: string): Block[] {
  const blocks: Block[] = []
  let block: Block | undefined
  for (const [index, line] of transcript.split('\n').entries()) {
    if (line.startsWith('< ')) {
      block?.server.push({ text: line.slice(2), line: index + 1 })
    } else if (line.startsWith('> ')) {
      if (!block || block.server.length > 0) block = start(blocks)
      block.client.push(line.slice(2))
    } else if (line.trim() !== '' || index < transcript.split('\n').length - 1) {
      if (!block || block.client.length > 0) block = start(blocks)
      block.before.push(line)
    }
    if (block) block.end = index + 1
  }
  return blocks
}

function start(blocks: Block[]): Block {
  const block: Block = { before: [], client: [], server: [], end: 0 }
  blocks.push(block)
  return block
}

class Inbox {
  #lines: string[] = []
  #last = Date.now()
  readonly #dialogue = new Dialogue()

  constructor(channel: LineChannel) {
    channel.onLine = (line) => {
      this.#lines.push(line)
      this.#last = Date.now()
      this.#dialogue.server(line)
    }
  }

  sent(line: string): void {
    this.#dialogue.client(line)
  }

  /** Everything that comes until it is the client's turn. */
  async untilSilent(): Promise<string[]> {
    const deadline = Date.now() + PATIENCE
    this.#last = Date.now()
    while (!this.#dialogue.isClientsTurn && Date.now() < deadline) await pause(1)
    while (Date.now() - this.#last < SILENCE) await pause(SILENCE)
    return this.#lines.splice(0)
  }

  /** Takes the expected number of lines, and further lines that arrive with them. */
  async take(count: number): Promise<string[]> {
    const deadline = Date.now() + PATIENCE
    while (this.#lines.length < count && Date.now() < deadline) await pause(1)
    // A line too many is a difference as well, so it gets a moment to show up.
    await pause(count === 0 ? SILENCE : 2)
    return this.#lines.splice(0)
  }
}

/** The requests that have no answer yet, as far as the lines show it. */
class Dialogue {
  readonly #pending = new Set<unknown>()
  readonly #questions = new Set<unknown>()

  get isClientsTurn(): boolean {
    return this.#pending.size === 0 || this.#questions.size > 0
  }

  client(line: string): void {
    for (const message of messagesOf(line)) {
      const { id, method, params } = message
      if (method === 'notifications/cancelled') {
        this.#pending.delete((params as { requestId?: unknown } | undefined)?.requestId)
      } else if (method === undefined) this.#questions.delete(id)
      else if (id !== undefined && method !== 'subscriptions/listen') this.#pending.add(id)
    }
  }

  server(line: string): void {
    for (const { id, method } of messagesOf(line)) {
      if (method === undefined) this.#pending.delete(id)
      else if (id !== undefined) this.#questions.add(id)
    }
  }
}

function messagesOf(line: string): JsonObject[] {
  try {
    const value = JSON.parse(line) as unknown
    return (Array.isArray(value) ? value : [value]).filter(isJsonObject)
  } catch {
    return []
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function fillIn(line: string, values: ReadonlyMap<string, string>): string {
  return line.replace(/"(<[\w-]+>)"/g, (whole, name: string) => {
    const value = values.get(name)
    return value === undefined ? whole : JSON.stringify(value)
  })
}

/** Puts names in the place of values that change. */
function withNames(line: string, values: Map<string, string>): string {
  return JSON.stringify(JSON.parse(line), (key, value: unknown) => {
    if (!VOLATILE.includes(key) || typeof value !== 'string') return value
    const known = [...values].find(([, set]) => set === value)
    const name =
      known?.[0] ?? `<${key}-${[...values.keys()].filter((n) => n.startsWith(`<${key}-`)).length + 1}>`
    values.set(name, value)
    return name
  })
}

function isSame(expected: string, found: string, values: Map<string, string>): boolean {
  return isEqual(JSON.parse(expected), JSON.parse(found), values)
}

function isEqual(expected: unknown, found: unknown, values: Map<string, string>): boolean {
  if (typeof expected === 'string' && PLACEHOLDER.test(expected) && typeof found === 'string') {
    const set = values.get(expected)
    if (set === undefined) values.set(expected, found)
    return set === undefined || set === found
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || expected.length !== found.length) return false
    return everyOne(expected, (item, index) => isEqual(item, found[index], values))
  }
  if (!isJsonObject(expected)) return Object.is(expected, found)
  if (!isJsonObject(found)) return false
  const keys = Object.keys(expected)
  const same = everyOne(
    keys,
    (key) => Object.hasOwn(found, key) && isEqual(expected[key], found[key], values),
  )
  return same && keys.length === Object.keys(found).length
}

/** `every`, to the end: one difference must not keep later values from being set. */
function everyOne<T>(items: readonly T[], holds: (item: T, index: number) => boolean): boolean {
  return items.map(holds).every(Boolean)
}
