import { McpError } from '../../jsonrpc/index.ts'

/** How many stderr lines a message shows; `details.stderr` has all that are kept. */
const LINES_IN_MESSAGE = 10
const LINE_LENGTH_IN_MESSAGE = 300

export interface ProcessExit {
  code: number | null
  signal: string | null
}

export interface ServerFacts {
  key: string
  pid: number
  exit: ProcessExit | undefined
  stderr: string[]
}

/** The server has ended by itself, or something other than us has ended it. */
export function exitedError(facts: ServerFacts): McpError {
  const { exit } = facts
  const how = exit?.signal ? `was killed by ${exit.signal}` : `exited with code ${exit?.code ?? 'unknown'}`
  return new McpError('exited', `${facts.key} ${how}${quote(facts.stderr, '; it wrote nothing to stderr')}`, {
    details: errorDetails(facts),
  })
}

/** We have closed the connection, or the server has closed one of its pipes without exiting. */
export function closedError(facts: ServerFacts, why: string): McpError {
  return new McpError('closed', `${why}${quote(facts.stderr, '')}`, { details: errorDetails(facts) })
}

export function errorDetails({ key, pid, exit, stderr }: ServerFacts): Record<string, unknown> {
  const ended = exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal }
  return { command: key, pid, ...ended, stderr }
}

function quote(stderr: string[], ifNone: string): string {
  if (stderr.length === 0) return ifNone
  const lines = lastWords(stderr).map((line) => `\n  ${line.slice(0, LINE_LENGTH_IN_MESSAGE)}`)
  return `. The last it wrote to stderr:${lines.join('')}`
}

/** When the last lines begin in the middle of a stack, the first of them is the line that the stack belongs to. */
function lastWords(stderr: readonly string[]): string[] {
  const from = Math.max(0, stderr.length - LINES_IN_MESSAGE)
  let head = from
  while (head > 0 && /^\s/.test(stderr[head]!)) head--
  return [stderr[head]!, ...stderr.slice(from + 1)]
}
