import { createInterface, type Interface } from 'node:readline/promises'
import { writeJson } from '@gantry/mcp/exchange'
import type {
  AdminApi,
  Era,
  JsonObject,
  PlaygroundError,
  PlaygroundEvent,
  Revision,
  PlaygroundQuestion,
} from '../../admin/contract.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { GlobalOptions } from '../cli-io.ts'
import { plainText } from '../plain-text.ts'

export interface RequestOptions extends GlobalOptions {
  readonly era?: Era
  readonly revision?: Revision
  readonly timeout?: string
}

export interface Request {
  readonly method: string
  readonly params: JsonObject
  readonly label: string
}

/** Sends one request as a client of the gateway; shows progress and logs, and has questions answered. */
export async function runRequest(
  api: AdminApi,
  request: Request,
  cli: Cli<RequestOptions>,
): Promise<JsonObject> {
  const canAsk = canAskHere(cli)
  const { id } = await api.call('startCall', {
    body: {
      method: request.method,
      params: request.params,
      client: {
        era: eraOf(cli.options),
        ...(cli.options.revision !== undefined && { revision: cli.options.revision }),
        // Questions are offered only where a person can answer.
        capabilities: canAsk ? { elicitation: { form: true, url: true }, sampling: {} } : {},
        name: 'gantry-cli',
      },
      ...(cli.options.timeout !== undefined && { timeout: secondsOf(cli.options.timeout) * 1000 }),
    },
  })
  const cancel = (): void => void api.call('cancelCall', { params: { id } }).catch(() => {})
  process.once('SIGINT', cancel)
  try {
    return await follow(api, id, request, cli)
  } finally {
    process.off('SIGINT', cancel)
  }
}

async function follow(
  api: AdminApi,
  id: string,
  { label }: Request,
  cli: Cli<RequestOptions>,
): Promise<JsonObject> {
  const events = api.stream('playgroundEvents', { params: { id } })[Symbol.asyncIterator]()
  for (;;) {
    // The spinner stops while the user is asked, so that it does not draw over the question.
    const event = await cli.progress(label, (update) => nextOf(events, update, cli))
    switch (event?.type) {
      case 'question': {
        const answer = await askTerminal(event.question, cli)
        await api.call('answerQuestion', { params: { id }, body: { question: event.question.id, answer } })
        break
      }
      case 'result':
        return event.result
      case 'error':
        throw failed(event.error, canAskHere(cli))
      case 'cancelled':
        throw new CliError('The call was cancelled')
      case undefined:
        throw new CliError('The gateway ended the call without an answer')
    }
  }
}

type Events = AsyncIterator<{ readonly event: PlaygroundEvent }>

/** The next event that needs attention; progress and logs are shown on the way. */
async function nextOf(
  events: Events,
  update: (label: string) => void,
  cli: Cli<RequestOptions>,
): Promise<PlaygroundEvent | undefined> {
  const paint = cli.notePaint
  for (;;) {
    const { done, value } = await events.next()
    if (done) return undefined
    const { event } = value
    if (event.type === 'progress') {
      const share = event.total
        ? `${Math.round((event.progress / event.total) * 100)} %`
        : String(event.progress)
      update(plainText(`${share} ${event.message ?? ''}`))
    } else if (event.type === 'log') {
      const text = typeof event.data === 'string' ? event.data : writeJson(event.data)
      cli.note(paint.dim(plainText(`${event.level} ${text}`)))
    } else if (['question', 'result', 'error', 'cancelled'].includes(event.type)) {
      return event
    }
  }
}

function canAskHere(cli: Cli<RequestOptions>): boolean {
  return process.stdin.isTTY === true && cli.io.stderr.isTTY === true && !cli.json
}

/** 2026-07-28: the client lacks a capability that the request needs. */
const MISSING_CAPABILITY = -32021

function failed({ message, fix, code }: PlaygroundError, canAsk: boolean): CliError {
  const reason = `${message}${typeof code === 'number' ? ` (${code})` : ''}`
  const isQuestion = code === MISSING_CAPABILITY && !canAsk
  return new CliError(reason, {
    fix: isQuestion ? 'It asks questions on the way: run it on a terminal and without --json.' : fix,
  })
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && Number.isFinite(seconds)) return seconds
  throw new CliError(`"${text}" is not a number of seconds`, {
    exitCode: 2,
    fix: 'For example: --timeout 30',
  })
}

function eraOf({ era, revision }: RequestOptions): Era {
  return era ?? (revision !== undefined && revision < '2026-07-28' ? 'legacy' : 'modern')
}

type Field = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}

async function askTerminal({ kind, params }: PlaygroundQuestion, cli: Cli): Promise<JsonObject> {
  const { notePaint: paint } = cli
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    if (kind === 'sampling') return await sample(terminal, params, cli)
    cli.note(`${paint.cyan('?')} ${paint.bold(plainText(String(params.message ?? ''), '  '))}`)
    return await (kind === 'url' ? openUrl(terminal, params, cli) : fillForm(terminal, params))
  } finally {
    terminal.close()
  }
}

async function fillForm(terminal: Interface, params: JsonObject): Promise<JsonObject> {
  const { properties = {}, required = [] } = (params.requestedSchema ?? {}) as {
    properties?: Record<string, Field>
    required?: string[]
  }
  const content: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(properties)) {
    const text = (await terminal.question(`  ${labelOf(name, field)}: `)).trim()
    if (text === '' && field.default !== undefined) content[name] = field.default
    else if (text !== '') content[name] = toValue(text, field.type)
    else if (required.includes(name)) return { action: 'decline' }
  }
  const isForm = Object.keys(properties).length > 0
  const agreed = await terminal.question(isForm ? '  Send this? [Y/n] ' : '  [Y/n] ')
  return /^n/i.test(agreed) ? { action: 'decline' } : { action: 'accept', content }
}

function labelOf(name: string, { title, description, type, enum: values, default: preset }: Field): string {
  const hint = values ? values.join(' | ') : (type ?? '')
  const chosen = preset === undefined ? '' : ` [${String(preset)}]`
  return plainText(`${title ?? name}${description ? ` – ${description}` : ''} (${hint})${chosen}`)
}

function toValue(text: string, type: string | undefined): unknown {
  if (type === 'number' || type === 'integer') return Number(text)
  if (type === 'boolean') return /^(y|yes|true|1|on)$/i.test(text)
  return type === 'array' ? text.split(',').map((part) => part.trim()) : text
}

async function openUrl(terminal: Interface, params: JsonObject, cli: Cli): Promise<JsonObject> {
  cli.note(`  ${plainText(String(params.url ?? ''))}`)
  const done = await terminal.question('  Open this page, then press Enter (n to decline) ')
  return { action: /^n/i.test(done) ? 'decline' : 'accept' }
}

async function sample(terminal: Interface, params: JsonObject, cli: Cli): Promise<JsonObject> {
  const { notePaint: paint } = cli
  cli.note(`${paint.cyan('?')} ${paint.bold('The server asks your model:')}`)
  cli.note(plainText(JSON.stringify(params.messages, undefined, 2), '  '))
  const text = await terminal.question('  Answer: ')
  return { role: 'assistant', model: 'a person', content: { type: 'text', text } }
}
