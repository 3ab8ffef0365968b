import { McpError } from '@gantry/mcp/client'
import { jsonReader, writeJson } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import type { TargetModel } from '../../model/index.ts'
import type { Handshake, RecordedStep } from '../../telemetry/handshake.ts'
import { redacting, withTexts } from '../../telemetry/redacting.ts'
import type { StderrRing } from '../../telemetry/stderr-ring.ts'
import type { Explanation, HandshakeMessage, HandshakeStep, HandshakeStepName, Json } from '../contract.ts'
import { explainFailure } from './explain-failure.ts'
import { noiseExplanation, type FailureContext } from './failure-context.ts'

const readJson = jsonReader('source')

const TITLES: Readonly<Record<HandshakeStepName, string>> = {
  queued: 'Wait for other targets to start',
  spawn: 'Start the process',
  connect: 'Connect',
  load: 'Load',
  probe: 'Ask `server/discover`',
  initialize: 'Send `initialize`',
  response: 'Read the answer',
  initialized: 'Send `notifications/initialized`',
  ready: 'Ready',
  list: 'Fetch the lists',
  call: 'Call a tool',
}

const SPOKEN: readonly HandshakeStepName[] = [
  'probe',
  'initialize',
  'response',
  'initialized',
  'ready',
  'list',
]
/** Waiting for less than this is not worth a line. */
const SHORT_WAIT = 50
const MAX_MESSAGE = 20_000
/** A probe that takes this long was not answered. */
const LONG_PROBE = 3000

function expectedSteps({ kind }: TargetModel): readonly HandshakeStepName[] {
  if (kind === 'stdio') return ['spawn', ...SPOKEN]
  return kind === 'url' ? ['connect', ...SPOKEN] : ['load', 'ready', 'list']
}

/** The steps of a start: done, failed with the reason, or never reached. */
export function presentSteps(handshake: Handshake, model: TargetModel, stderr: StderrRing): HandshakeStep[] {
  const expected = expectedSteps(model)
  const recorded = handshake.steps.filter((step) => step.name !== 'queued' || isLong(step))
  const names = new Set(recorded.map((step) => step.name))
  const steps: HandshakeStep[] = []
  let position = 0
  for (const step of recorded) {
    const index = expected.indexOf(step.name as HandshakeStepName)
    for (const passed of expected.slice(position, Math.max(position, index))) {
      if (!names.has(passed)) steps.push(absent(passed, 'skipped'))
    }
    position = Math.max(position, index + 1)
    steps.push(present(step, handshake, contextOf(handshake, model, step.name, stderr)))
  }
  return [...steps, ...expected.slice(position).map((name) => absent(name, 'pending'))]
}

export function contextOf(
  handshake: Handshake | undefined,
  model: TargetModel,
  step: string | undefined,
  stderr: StderrRing,
): FailureContext {
  return {
    model,
    step,
    stderr: stderr.tail(60).map(({ text }) => text),
    hide: stderr.hide,
    noise: handshake ? noiseOf(handshake) : [],
  }
}

function noiseOf(handshake: Handshake): string[] {
  return handshake.warnings.flatMap(({ thrown }) =>
    thrown instanceof McpError && thrown.code === 'parse_failed' && typeof thrown.details.line === 'string'
      ? [thrown.details.line]
      : [],
  )
}

/** Warnings about a start that worked. */
export function presentWarnings(handshake: Handshake, hide: FailureContext['hide']): Explanation[] {
  const noise = noiseOf(handshake)
  const others = handshake.warnings.flatMap(({ thrown }) => {
    if (thrown instanceof McpError && thrown.code === 'parse_failed') return []
    return [
      {
        code: 'warning',
        what: hide(cutText(thrown instanceof Error ? thrown.message : String(thrown), 4000)),
      },
    ]
  })
  return [...(noise.length > 0 ? [noiseExplanation(noise)] : []), ...silentProbe(handshake), ...others]
}

/**
 * Older servers may ignore unknown requests, and waiting for them delays every start of the gateway. Such a server
 * answers `initialize`. A server that only starts slowly answers the probe as well, but late.
 */
function silentProbe({ steps }: Handshake): Explanation[] {
  const probe = steps.find(({ name }, index) => name === 'probe' && steps[index + 1]?.name === 'initialize')
  const waited = (probe?.endedAt ?? 0) - (probe?.at ?? 0)
  if (!probe || waited < LONG_PROBE) return []
  const answers = steps.flatMap(({ messages }) => messages.filter(({ direction }) => direction === 'in'))
  const probeId = idOf(probe.messages[0])
  const isAnswered = answers.some((answer) => idOf(answer) === probeId)
  const isAccepted = steps.some(({ name, messages }) => name === 'response' && messages.some(hasResult))
  if (isAnswered || !isAccepted) return []
  return [
    {
      code: 'silent_probe',
      what: `It did not answer \`server/discover\`, not even with an error, which cost ${Math.round(waited / 1000)} s`,
      meaning:
        'It is asked at every start, to find out which revision it speaks. It answered `initialize`, so it speaks an older one.',
      fix: 'Set "era": "legacy" for this target, and it is not asked any more.',
    },
  ]
}

function idOf(recorded: RecordedStep['messages'][number] | undefined): unknown {
  return (recorded?.message as { id?: unknown } | undefined)?.id
}

function hasResult({ message }: RecordedStep['messages'][number]): boolean {
  return (message as { result?: unknown }).result !== undefined
}

function isLong({ at, endedAt }: RecordedStep): boolean {
  return (endedAt ?? Date.now()) - at >= SHORT_WAIT
}

function absent(name: HandshakeStepName, status: 'skipped' | 'pending'): HandshakeStep {
  return { name, title: TITLES[name], status, messages: [] }
}

function present(step: RecordedStep, handshake: Handshake, context: FailureContext): HandshakeStep {
  const name = step.name as HandshakeStepName
  const { failure, endedAt } = step
  return {
    name,
    title: TITLES[name] ?? name,
    status: failure ? 'failed' : endedAt === undefined ? 'running' : 'done',
    at: step.at,
    offset: step.at - handshake.startedAt,
    ...(endedAt !== undefined && { duration: endedAt - step.at }),
    ...(step.detail !== undefined && { detail: step.detail }),
    messages: step.messages.map((one) => presentMessage(one, context.hide)),
    ...(failure && { problem: explainFailure(failure.thrown, context) }),
  }
}

function presentMessage(
  { at, direction, message }: RecordedStep['messages'][number],
  hide: FailureContext['hide'],
): HandshakeMessage {
  // A server may echo what it was given, in an error for instance.
  const text = writeJson(message, (key, part) => redacting(key, withTexts(part, hide)))
  return {
    at,
    direction,
    message: text.length > MAX_MESSAGE ? cutText(text, MAX_MESSAGE) : (readJson(text) as Json),
  }
}
