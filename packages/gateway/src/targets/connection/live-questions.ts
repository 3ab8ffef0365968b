import { setTimeout } from 'node:timers/promises'
import { complete, INTERNAL_ERROR, isJsonObject, outlineOf, type Outcome } from '@gantry/mcp/exchange'

/**
 * Errors of SDKs for a live question on a connection of 2026-07-28, where servers cannot send requests: Python 2 and
 * FastMCP, FastMCP's `elicit`, Go and TypeScript. Each names the question too.
 */
const CANNOT_ASK =
  /no back-channel for server-initiated requests|server-initiated requests is unavailable on|cannot be sent while serving a request on/
const QUESTION = /elicitation|sampling|roots/

/**
 * Whether a call failed in the newer era because of a question. `asksOlder` is true when the tool has asked older
 * clients. Then an error that does not name its cause (Ruby) counts as such a failure.
 */
export function failedToAsk(outcome: Outcome, asksOlder: boolean): boolean {
  if (asksOlder && outcome.type === 'error' && outcome.error.code === INTERNAL_ERROR) return true
  const text = failureIn(outcome)
  return CANNOT_ASK.test(text) && QUESTION.test(text)
}

/**
 * The line that Python 2 writes to stderr before it refuses a result that the revision of its connection does not have.
 */
const REPORT = 'returned an invalid result'
const IS_QUESTION = /input_value=\{'resultType': 'input_req/

/** In ms. The report was written before the answer, so it is read by then. */
const UNTIL_READ = 100

/**
 * Whether a tool failed because it asked by returning, which the older era does not have. Such a tool is made to be
 * called again, with the answer.
 */
export async function askedByReturning(stderr: (() => readonly string[]) | undefined): Promise<boolean> {
  if (!stderr) return false
  await setTimeout(UNTIL_READ)
  const lines = stderr()
  const last = lines.findLastIndex((line) => line.includes(REPORT))
  return last >= 0 && IS_QUESTION.test(lines.slice(last).join('\n'))
}

/** The same failure, with what the caller can do: from now on, calls of this tool go to the era named. */
export function withAdvice(outcome: Outcome, era: 'older' | 'newer'): Outcome {
  const what = era === 'older' ? 'ask its question' : 'answer so'
  const advice =
    `This server can ${what} on a connection of the ${era} era only. The next call of this tool uses one: ` +
    'call it again. What the tool did before may then be done a second time.'
  if (outcome.type === 'error') {
    const { error } = outcome
    return { ...outcome, error: { ...error, message: `${error.message} ${advice}` } }
  }
  if (outcome.type !== 'complete') return outcome
  const { result } = outcome
  const content = Array.isArray(result.content) ? result.content : []
  return complete({ ...result, content: [...content, { type: 'text', text: advice }] })
}

/** The message of an error, also of a tool's error; empty for a success. */
function failureIn(outcome: Outcome): string {
  if (outcome.type === 'error') return outcome.error.message
  if (outcome.type !== 'complete' || outlineOf(outcome).isError !== true) return ''
  const { content } = outcome.result
  const texts = Array.isArray(content) ? content.map((block) => isJsonObject(block) && block.text) : []
  return texts.filter((text) => typeof text === 'string').join('\n')
}
