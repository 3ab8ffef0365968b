import { TargetError, type TargetFacts, type TargetReason } from './target-error.ts'

interface Told {
  /** The fault, as the end of a sentence that begins with the target. */
  readonly what: string
  /** Advice for the caller; absent when only the operator can help. */
  readonly advice?: string
}

const BAD_ANSWER: Told = { what: 'it answered with something that the gateway cannot use' }
const LOGIN: Told = { what: 'it needs a login, or its credentials are refused' }
const BROKEN_SETUP: Told = { what: 'it cannot be used as it is configured' }
const LOST: Told = { what: 'the connection to it was lost', advice: 'Try again' }

/** The reason of a failure in our own words. They hold no command, no address and no text of the target. */
const TOLD: { readonly [reason in TargetReason]: Told } = {
  exited: { what: 'its process ended' },
  closed: LOST,
  session_lost: LOST,
  not_connected: LOST,
  network: { what: 'it cannot be reached' },
  spawn_failed: { what: 'it could not be started' },
  refused: { what: 'it refused to open a connection' },
  timeout: { what: 'it did not answer in time', advice: 'Try again, or ask for less' },
  stalled: { what: 'it stopped in the middle of a long message', advice: 'Try again, or ask for less' },
  cancelled: { what: 'the request was cancelled at the gateway' },
  too_large: {
    what: 'its answer is larger than the gateway passes on',
    advice: 'Ask for less; server.limits.resultBytes raises the limit',
  },
  http_status: { what: 'it answered with an HTTP error' },
  unauthorized: LOGIN,
  forbidden: LOGIN,
  oauth: LOGIN,
  parse_failed: BAD_ANSWER,
  bad_version: BAD_ANSWER,
  bad_response: BAD_ANSWER,
  cursor_loop: BAD_ANSWER,
  invalid_output: BAD_ANSWER,
  too_many_rounds: { what: 'it kept asking for input' },
  missing_capability: {
    what: 'it asked a question in a way that its connection does not have',
    advice: 'The next call uses a connection of the older era, where it can ask: call again',
  },
  invalid_answer: { what: 'it was given an answer that does not fit its question' },
  invalid_argument: { what: 'the arguments cannot be written as JSON' },
  declined: { what: 'the request was declined' },
  tool_failed: { what: 'the tool failed' },
  invalid_config: BROKEN_SETUP,
  invalid_definition: BROKEN_SETUP,
  unsupported: BROKEN_SETUP,
  already_started: BROKEN_SETUP,
  disabled: { what: 'it is switched off' },
  stopped: { what: 'it is stopped, and does not start by itself' },
  backing_off: { what: 'it is not available' },
  quarantined: { what: 'it failed too often' },
  busy: { what: 'it has all the requests and connections that it can take', advice: 'Try again in a moment' },
  unknown: { what: 'it failed' },
}

/** The only text about a failed target that callers get: target, kind of failure, what to do. */
export function callerText(error: TargetError): string {
  return `Target "${error.target}": ${callerReason(error)}${error.doubt}`
}

/** The same without the name of the target, for places that already show it. */
export function callerReason(error: TargetError): string {
  const { target, reason, facts } = error
  const again = facts.retryIn === undefined ? '' : `; the next try is in ${facts.retryIn} s`
  const advice = TOLD[reason].advice ?? `The operator sees why with: gantry doctor ${target}`
  return `${whatIsWrong(error)}${again}. ${advice}.`
}

const AFTER_A_FAILURE: ReadonlySet<TargetReason> = new Set(['backing_off', 'quarantined', 'stopped'])

function whatIsWrong({ target, reason, facts, cause }: TargetError): string {
  const what = exactly(reason, facts) ?? TOLD[reason].what
  if (!AFTER_A_FAILURE.has(reason) || cause === undefined) return what
  return `${what} (${whatIsWrong(TargetError.from(target, cause))})`
}

/** Numbers are harmless for callers, and tell more. */
function exactly(
  reason: TargetReason,
  { exitCode, signal, status, timeout }: TargetFacts,
): string | undefined {
  if (reason === 'exited' && signal !== undefined) return `its process was killed by ${signal}`
  if (reason === 'exited' && exitCode !== undefined) return `its process exited with code ${exitCode}`
  if (reason === 'http_status' && status !== undefined) return `it answered with HTTP ${status}`
  if (reason === 'timeout' && timeout !== undefined) return `it did not answer within ${timeout} ms`
  return undefined
}
