import { Client, type ClientOptions } from '../client/index.ts'
import type { RequestContext } from '../exchange/index.ts'
import {
  eraOf,
  type FormsOf,
  LATEST_LEGACY,
  LATEST_MODERN,
  requireKnownOptions,
  type Era,
  type Revision,
} from '../protocol/index.ts'
import { globalConfiguration } from '../server/configuration.ts'
import type { ReplayWarning, Server } from '../server/index.ts'
import { memory } from '../transport/memory.ts'
import { FakeClock } from './fake-clock.ts'
import { ScriptedAnswers } from './scripted-answers.ts'

export interface Traffic {
  readonly direction: 'to-server' | 'to-client'
  readonly text: string
}

export interface EraTest<App> {
  readonly client: Client<App>
  readonly era: Era
  readonly revision: Revision
  /** The third run: modern, with a watch for handlers that are not safe to run again. */
  readonly replay: boolean
  readonly answers: ScriptedAnswers
  /** Time that the test lets pass; real time until it is looked at. */
  readonly clock: FakeClock
  readonly traffic: readonly Traffic[]
  /** The warnings of the watched run. A test with warnings fails, unless `tolerateReplayWarnings` is set. */
  readonly warnings: readonly ReplayWarning[]
}

export interface ErasOptions {
  /** The revisions to run at; the newest legacy one and the newest modern one unless given. */
  revisions?: readonly Revision[]
  /** Client settings: capabilities, log level, middleware. Answers are scripted. */
  client?: Omit<ClientOptions, 'connector' | 'protocolVersion' | 'era'>
  /** The facts that a transport would have: the caller, the embedding application's context. */
  context?: RequestContext
  onTraffic?: (traffic: Traffic, revision: Revision) => void
  tolerateReplayWarnings?: boolean
}

const ERAS_OPTIONS: FormsOf<ErasOptions> = {
  revisions: 'a list',
  client: 'an object',
  context: 1,
  onTraffic: 'a function',
  tolerateReplayWarnings: 'true or false',
}

export type AppOf<T> = T extends () => infer App ? Awaited<App> : T
export type AnyServer = Pick<Server, keyof Server>

/**
 * Runs a test body in memory against a legacy client, a modern client, and a modern client whose re-runs are
 * watched: the handler has to ask, do and report the same each time it is run again for its next answer.
 *
 * ```ts
 * await eras(app, async (t) => {
 *   t.answers.accept({ region: 'eu' })
 *   expect((await t.client.call('publish', { id: '7' })).json()).toEqual({ url: 'https://eu/7' })
 * })
 * ```
 *
 * Give a function that makes the server when a test changes it. What cannot be seen from outside – a plain
 * `counter++` before a question – is not found by watching; what it changes in the handler's questions, steps
 * and notifications is.
 */
export async function eras<T extends AnyServer | (() => AnyServer | Promise<AnyServer>)>(
  app: T,
  body: (test: EraTest<AppOf<T>>) => unknown,
  options: ErasOptions = {},
): Promise<void> {
  requireKnownOptions('test in all eras', ERAS_OPTIONS, options)
  const revisions = options.revisions ?? [LATEST_LEGACY, LATEST_MODERN]
  for (const revision of revisions) await runOnce(app, body, options, revision, false)
  const modern = revisions.findLast((revision) => eraOf(revision) === 'modern')
  if (modern) await runOnce(app, body, options, modern, true)
}

async function runOnce<T extends AnyServer | (() => AnyServer | Promise<AnyServer>)>(
  app: T,
  body: (test: EraTest<AppOf<T>>) => unknown,
  options: ErasOptions,
  revision: Revision,
  replay: boolean,
): Promise<void> {
  const server = (typeof app === 'function' ? await app() : app) as Server
  const warnings: ReplayWarning[] = []
  const traffic: Traffic[] = []
  let clock: FakeClock | undefined
  const startClock = (): FakeClock => (clock ??= new FakeClock())
  const answers = new ScriptedAnswers(startClock)
  const causes: string[] = []
  const stopHearing = hearExceptions(server, causes)
  const stopWatching = replay ? server.watchReplays((warning) => warnings.push(warning)) : undefined
  const client = new Client<AppOf<T>>({
    ...answers.handlers,
    ...options.client,
    protocolVersion: revision,
    cache: false,
    connector: memory(server, {
      ...(options.context && { context: options.context }),
      onTraffic(direction, text) {
        traffic.push({ direction, text })
        options.onTraffic?.({ direction, text }, revision)
      },
    }),
  })
  try {
    const era = eraOf(revision)
    const test = { client, era, revision, replay, answers, traffic, warnings }
    await body(
      Object.defineProperty(test, 'clock', { get: startClock }) as typeof test & { clock: FakeClock },
    )
    answers.verify()
    if (warnings.length > 0 && !options.tolerateReplayWarnings) {
      throw new Error(warnings.map(({ name, message }) => `${name}: ${message}`).join('\n'))
    }
  } catch (error) {
    throw located(error, `${revision}${replay ? ' with watched replay' : ''}`, answers, causes)
  } finally {
    stopHearing()
    stopWatching?.()
    clock?.restore()
    await client.close()
  }
}

/**
 * Clients do not see errors that handlers throw; a failing test shows them. A reporter of the server gets them, too.
 */
function hearExceptions({ configuration }: Server, causes: string[]): () => void {
  const { exceptionReporter } = configuration
  configuration.exceptionReporter = (thrown, context) => {
    const report = exceptionReporter ?? globalConfiguration().exceptionReporter
    report?.(thrown, context)
    const { toolName, promptName, resourceUri, request } = context
    const why = thrown instanceof Error ? thrown.stack : JSON.stringify(thrown)
    causes.push(`${toolName ?? promptName ?? resourceUri ?? request.method} threw: ${why}`)
  }
  return () => {
    configuration.exceptionReporter = exceptionReporter
  }
}

/** Says in which run it was; a question without an answer is usually the reason behind another failure. */
function located(error: unknown, where: string, answers: ScriptedAnswers, causes: string[]): unknown {
  const missing =
    answers.unanswered.length > 0 ? ` (no answer scripted for ${answers.unanswered.join('; ')})` : ''
  const thrown = causes.map((cause) => `\n${cause}`).join('')
  if (error instanceof Error && !error.message.startsWith('[')) {
    error.message = `[${where}] ${error.message}${missing}${thrown}`
    return error
  }
  return error
}
