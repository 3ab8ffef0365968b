import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { jsonReader } from '@gantry/mcp/exchange'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'

const readJson = jsonReader('source')

type Values = Record<string, unknown>
type Schema = { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> }

export interface ArgumentSources {
  /** JSON, `@FILE`, or `-` for standard input. */
  readonly json: string | undefined
  readonly pairs: readonly string[]
  readonly schema: Schema | undefined
}

/** The arguments of a call, from JSON and from `--arg name=value`; the latter win. */
export async function readArguments(sources: ArgumentSources, io: CliIo): Promise<Values> {
  const values = sources.json === undefined ? {} : parseJson(await readText(sources.json, io))
  for (const pair of sources.pairs) {
    const at = pair.indexOf('=')
    if (at <= 0) {
      throw new CliError(`"${pair}" is not name=value`, {
        exitCode: 2,
        fix: 'For example: --arg title="My note"',
      })
    }
    const name = pair.slice(0, at)
    const value = toValue(pair.slice(at + 1), sources.schema?.properties?.[name]?.type)
    Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return values
}

async function readText(text: string, io: CliIo): Promise<string> {
  if (text.startsWith('@')) return readFile(resolve(io.places.cwd, text.slice(1)), 'utf8')
  if (text !== '-') return text
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): Values {
  let value: unknown
  try {
    value = readJson(text)
  } catch (error) {
    throw new CliError(`The arguments are not JSON: ${(error as Error).message}`, {
      exitCode: 2,
      fix: `Quote them for the shell: '{"name": "value"}' – or use --arg name=value.`,
    })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values
  throw new CliError('The arguments have to be a JSON object', { exitCode: 2 })
}

/** A text stays text where the tool wants text. Elsewhere a text that can be read as JSON is read as JSON. */
function toValue(text: string, type: unknown): unknown {
  const types = Array.isArray(type) ? type : [type]
  if (types.includes('string') && !types.includes('object') && !types.includes('array')) return text
  try {
    return readJson(text)
  } catch {
    return text
  }
}
