import { McpError } from '@gantry/mcp/client'
import { ProtocolError } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import { gatewayWords, TargetError } from '../../targets/target-error.ts'
import type { Explanation } from '../contract.ts'
import { explainExit } from './explain-exit.ts'
import { noiseExplanation, type FailureContext } from './failure-context.ts'
import { explainHttp } from './explain-http.ts'

/** A server decides how long its messages are. */
const MAX_WORDS = 4000

/** Explains a failure: what happened, what it means and what to do. Removes credentials from texts of the server. */
export function explainFailure(thrown: unknown, context: FailureContext): Explanation {
  const found = explain(thrown, context)
  const { what, meaning } = found
  return {
    ...found,
    what: context.hide(cutText(gatewayWords(what), MAX_WORDS)),
    ...(meaning !== undefined && { meaning: context.hide(cutText(meaning, MAX_WORDS)) }),
  }
}

function explain(thrown: unknown, context: FailureContext): Explanation {
  const error = rootOf(thrown)
  if (error instanceof ProtocolError) return explainRefusal(error, context)
  if (!(error instanceof McpError)) return { code: 'unknown', what: wordsOf(error) }
  switch (error.code) {
    case 'spawn_failed':
      return explainSpawn(error, context)
    case 'exited':
    case 'closed':
      return explainExit(error, context)
    case 'timeout':
      return explainSilence(error, context)
    case 'http_status':
    case 'network':
    case 'unauthorized':
    case 'forbidden':
    case 'oauth':
      return explainHttp(error, context)
    case 'bad_version':
      return {
        code: 'bad_version',
        what: error.message,
        meaning: 'The server and the gateway know no revision of MCP in common.',
        fix:
          context.model.era === 'auto'
            ? 'Update the server, or the gateway if the server is newer.'
            : `The configuration insists on "era": "${context.model.era}" for this target; take that out.`,
      }
    case 'parse_failed':
    case 'bad_response':
      return {
        code: 'bad_response',
        what: error.message,
        meaning: 'What came back is not a message of MCP.',
        fix:
          context.model.kind === 'stdio'
            ? 'The server has to write messages, and nothing else, to stdout. Its logs belong on stderr.'
            : 'Check that the URL is the MCP endpoint, with its path.',
      }
    case 'invalid_config':
      return { code: 'invalid_config', what: error.message, fix: 'Correct this target in the configuration.' }
    case 'too_large':
      return {
        code: 'too_large',
        what: error.message,
        fix: 'Let the server return less at a time, or raise server.limits.resultBytes.',
      }
    default:
      return { code: error.code, what: error.message }
  }
}

/** The first cause of an error. A target's error has the same message with more words around it. */
function rootOf(thrown: unknown): unknown {
  return thrown instanceof TargetError && thrown.cause !== undefined ? rootOf(thrown.cause) : thrown
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function explainRefusal(error: ProtocolError, { step }: FailureContext): Explanation {
  const answered = `The server answered with error ${error.code}: ${error.message}`
  if (
    /not (?:yet )?(?:been )?initiali[sz]ed|before initiali[sz]|initialization was complete/i.test(
      error.message,
    )
  ) {
    return {
      code: 'not_initialized',
      what: answered,
      meaning:
        'It says that it was not initialised, although `notifications/initialized` was sent after its answer to `initialize`: it lost that message, or does not act on it.',
      fix: 'Make the server (or the proxy before it) handle `notifications/initialized`. The messages of each step show that it was sent.',
    }
  }
  if (step === 'response' || step === 'initialize') {
    return {
      code: 'initialize_refused',
      what: answered,
      meaning: 'It was reached, and refused `initialize`.',
      fix: 'Its message says why; mostly it is a missing setting or a revision that it does not know.',
    }
  }
  if (step === 'probe') {
    return {
      code: 'probe_refused',
      what: answered,
      meaning: 'It is a modern server that refuses `server/discover`.',
    }
  }
  return { code: 'refused', what: answered, fix: 'Its own log may say more.' }
}

/** Nothing came back. What else was seen tells why. */
function explainSilence(error: McpError, { model, step, noise, stderr }: FailureContext): Explanation {
  const what = `It did not answer ${SILENT[step ?? ''] ?? 'in time'} (${gatewayWords(error.message)})`
  if (noise.length > 0) return { ...noiseExplanation(noise), what: `${what}, but wrote text to stdout` }
  const port = [...stderr]
    .reverse()
    .find((line) => /listening|running|started/i.test(line) && /:\d{2,5}\b|port/i.test(line))
  if (model.kind === 'stdio' && port !== undefined) {
    return {
      code: 'serves_http',
      what,
      meaning: `It seems to serve HTTP instead of stdio; it wrote: ${port.trim()}`,
      fix: 'Start it with its option for stdio, or configure its URL ("url": "http://…/mcp") instead of a command.',
    }
  }
  return {
    code: 'no_answer',
    what,
    meaning:
      model.kind === 'stdio'
        ? 'The process runs, but does not speak MCP on stdin and stdout, or is still busy (a first `npx` or `uvx` downloads it).'
        : 'The address can be reached, but nothing there answers MCP.',
    fix: 'Run the command by hand to see what it does. If it is only slow, raise "timeouts.start" of this target.',
  }
}

const SILENT: Readonly<Record<string, string>> = {
  probe: '`server/discover`',
  initialize: '`initialize`',
  list: 'the request for its lists',
  call: 'the call',
}

function explainSpawn(error: McpError, { model }: FailureContext): Explanation {
  const what = error.message
  const { code } = error.details
  if (model.kind !== 'stdio') return { code: 'spawn_failed', what }
  if (/working directory/.test(what)) {
    return {
      code: 'cwd_missing',
      what,
      fix: 'Correct "cwd" in the configuration, or create the folder. Relative paths start at the configuration file.',
    }
  }
  if (code === 'ENOENT' && /\s/.test(model.command) && !/[\\/]/.test(model.command)) {
    const [program, ...args] = model.command.split(/\s+/)
    return {
      code: 'command_with_arguments',
      what,
      meaning: 'The command holds a whole command line; the gateway uses no shell that would take it apart.',
      fix: `Write "command": ${JSON.stringify(program)} and "args": ${JSON.stringify([...args, ...model.args.map(String)])}.`,
    }
  }
  if (code === 'ENOENT') {
    return {
      code: 'command_not_found',
      what,
      fix:
        INSTALL[model.command] ??
        `Install "${model.command}", or write its full path. "which ${model.command}" shows where it is.`,
    }
  }
  if (code === 'EACCES') {
    return { code: 'not_executable', what, fix: `Run: chmod +x ${model.command}` }
  }
  return { code: 'spawn_failed', what }
}

const INSTALL: Readonly<Record<string, string>> = {
  npx: '"npx" comes with Node.js: install that, or write its full path.',
  node: 'Install Node.js, or write the full path of "node".',
  uvx: '"uvx" comes with uv: https://docs.astral.sh/uv/ – or write its full path.',
  uv: 'Install uv: https://docs.astral.sh/uv/ – or write its full path.',
  python: 'Install Python, or try "python3".',
  docker: 'Install Docker, or write the full path of "docker".',
}
