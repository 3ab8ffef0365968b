import { McpError } from '@gantry/mcp/client'
import {
  isJsonObject,
  jsonReader,
  writeJson,
  type InputRequests,
  type InputResponses,
  type JsonObject,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import { readSmallFile } from '../../model/index.ts'

const readJson = jsonReader('source')
/** A recording is kept in memory while it is replayed. */
const MOST_BYTES = 256 * 1024 * 1024

/** The first line of a recording: its version, and the server's description of itself. */
export interface RecordingHeader {
  readonly recording: 'gantry'
  readonly version: 1
  readonly target: string
  readonly recordedAt: string
  /** As `server/discover` has it, whatever the era of the server. */
  readonly discovery: JsonObject
}

/** Every other line: one request with all that happened until its outcome. Times are milliseconds. */
export interface RecordedExchange {
  readonly method: string
  /** The params without the members that belong to a client or a round: `_meta`, `inputResponses`, `requestState`. */
  readonly params: JsonObject
  /** Since the recording began. */
  readonly at: number
  readonly duration: number
  readonly notifications?: readonly (Notification & { readonly after: number })[]
  /** The questions of each round, and how they were answered then. */
  readonly rounds?: readonly { readonly requests: InputRequests; readonly responses: InputResponses }[]
  readonly outcome: Outcome
}

export interface Recording {
  readonly header: RecordingHeader
  readonly exchanges: readonly RecordedExchange[]
}

/** Reads a recording. A last line that was cut off, as a killed process leaves it, is ignored. */
export async function readRecording(file: string): Promise<Recording> {
  const lines: unknown[] = []
  let broken: number | undefined
  let number = 0
  for (const line of (await readSmallFile(file, { most: MOST_BYTES })).split(/\r?\n/)) {
    number++
    if (line.trim() === '') continue
    if (broken !== undefined) throw unreadable(file, `line ${broken} is not JSON`)
    try {
      lines.push(readJson(line))
    } catch {
      broken = number
    }
  }
  const [header, ...exchanges] = lines
  if (!isHeader(header)) throw unreadable(file, 'its first line is not the header of a recording')
  const bad = exchanges.findIndex((one) => !isExchange(one))
  if (bad >= 0) throw unreadable(file, `its exchange ${bad + 1} is incomplete`)
  return { header, exchanges: exchanges as RecordedExchange[] }
}

/** The parts of params that decide which recorded answer fits, in one order. */
export function keyOf(method: string, params: JsonObject): string {
  return `${method} ${writeJson(sorted(essential(params)))}`
}

export function essential(params: JsonObject): JsonObject {
  const { _meta, inputResponses, requestState, ...rest } = params
  return rest
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}

function isHeader(value: unknown): value is RecordingHeader {
  return (
    isJsonObject(value) &&
    value.recording === 'gantry' &&
    value.version === 1 &&
    isJsonObject(value.discovery)
  )
}

function isExchange(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.method === 'string' &&
    isJsonObject(value.params) &&
    isJsonObject(value.outcome)
  )
}

function unreadable(file: string, why: string): McpError {
  return new McpError('invalid_config', `${file} cannot be replayed: ${why}`)
}
