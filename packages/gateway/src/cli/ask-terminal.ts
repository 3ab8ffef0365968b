import { createInterface, type Interface } from 'node:readline/promises'
import type { JsonObject, PlaygroundQuestion } from '../admin/contract.ts'
import { printLine, type CliIo } from './cli-io.ts'
import type { Paint } from './paint.ts'
import { plainText } from './plain-text.ts'

type Field = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}

/** Has somebody at the terminal answer a question of a server. */
export async function askTerminal(
  { kind, params }: PlaygroundQuestion,
  io: CliIo,
  paint: Paint,
): Promise<JsonObject> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    if (kind === 'sampling') return await sample(terminal, params, io, paint)
    printLine(io.stderr, `${paint.cyan('?')} ${paint.bold(plainText(String(params.message ?? '')))}`)
    return await (kind === 'url' ? openUrl(terminal, params, io) : fillForm(terminal, params))
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

async function openUrl(terminal: Interface, params: JsonObject, io: CliIo): Promise<JsonObject> {
  printLine(io.stderr, `  ${plainText(String(params.url ?? ''))}`)
  const done = await terminal.question('  Open this page, then press Enter (n to decline) ')
  return { action: /^n/i.test(done) ? 'decline' : 'accept' }
}

async function sample(terminal: Interface, params: JsonObject, io: CliIo, paint: Paint): Promise<JsonObject> {
  printLine(io.stderr, `${paint.cyan('?')} ${paint.bold('The server asks your model:')}`)
  printLine(io.stderr, plainText(JSON.stringify(params.messages, undefined, 2)))
  const text = await terminal.question('  Answer: ')
  return { role: 'assistant', model: 'a person', content: { type: 'text', text } }
}
