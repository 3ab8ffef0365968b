import type {
  EndpointInfo,
  JsonObject,
  PlaygroundCallDetail,
  PlaygroundEvent,
} from '../../../api/contract.ts'
import { writeJson } from '../../../api/json.ts'

type EventOf<Type extends PlaygroundEvent['type']> = Extract<PlaygroundEvent, { type: Type }>

/** The parts of a result that say something; the rest is about this one answer. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  'tools/call': ['content', 'structuredContent', 'isError'],
  'prompts/get': ['description', 'messages'],
  'resources/read': ['contents'],
  'completion/complete': ['completion'],
}

/** A file for Node's own test runner that makes a call again, answers as it was answered, and expects the same. */
export function toTest(call: PlaygroundCallDetail, endpoint: EndpointInfo): string {
  const { method, params } = call
  const [connected] = eventsOf(call, 'connected')
  const name = subjectOf(call)
  return [
    '// Made from a call in the playground of Gantry. It needs the package @gantry/mcp; run it with:',
    `//   node ${fileNameOf(call)}`,
    "import assert from 'node:assert/strict'",
    "import { test } from 'node:test'",
    "import { connect } from '@gantry/mcp/client'",
    "import { ScriptedAnswers } from '@gantry/mcp/testing'",
    '',
    `const ENDPOINT = process.env.GANTRY_ENDPOINT ?? ${text(endpoint.mcp)}`,
    '',
    `test(${text(`${name} answers as it did`)}, async () => {`,
    `  const answers = new ScriptedAnswers()${scriptOf(call)
      .map((line) => `\n    ${line}`)
      .join('')}`,
    '  const client = await connect(ENDPOINT, {',
    ...(connected ? [`    protocolVersion: ${text(connected.revision)},`] : []),
    ...(endpoint.auth === 'required'
      ? ['    http: { headers: { authorization: `Bearer ${process.env.GANTRY_TOKEN}` } },']
      : []),
    ...handlersOf(call).map((line) => `    ${line}`),
    '  })',
    '  try {',
    ...expectationOf(call, `client.request(${text(method)}, ${indented(params, 4)})`),
    '    answers.verify()',
    '  } finally {',
    '    await client.close()',
    '  }',
    '})',
    '',
  ].join('\n')
}

/** Letters, digits and dashes: it is typed into shells. */
export function fileNameOf(call: Pick<PlaygroundCallDetail, 'method' | 'params'>): string {
  const stem = subjectOf(call)
    .replace(/[^\w]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${stem.slice(0, 60) || 'call'}.test.mjs`
}

function subjectOf({ method, params }: Pick<PlaygroundCallDetail, 'method' | 'params'>): string {
  return String(params.name ?? params.uri ?? method)
}

/** What was answered, each for its question: questions of one round may come in any order. */
function scriptOf(call: PlaygroundCallDetail): string[] {
  const questions = eventsOf(call, 'question').map(({ question }) => question)
  const lines = eventsOf(call, 'answered').map(({ question: id, answer }) => {
    const question = questions.find((one) => one.id === id)
    if (question?.kind === 'sampling') return `.sample(${indented(answer, 4)})`
    const when = text(String(question?.params.message ?? ''))
    if (answer.action !== 'accept')
      return answer.action === 'decline' ? `.decline(${when})` : `.cancel(${when})`
    return `.accept(${answer.content === undefined ? 'undefined' : indented(answer.content, 4)}, ${when})`
  })
  const roots = call.client.capabilities.roots ?? []
  return roots.length > 0 ? [...lines, `.roots(${roots.map((root) => text(root)).join(', ')})`] : lines
}

/** A client declares what it has handlers for, so it gets those that were declared. */
function handlersOf({ client: { capabilities } }: PlaygroundCallDetail): string[] {
  const { elicitation, sampling, roots } = capabilities
  const elicit = (['form', 'url'] as const).filter((kind) => elicitation?.[kind])
  return [
    ...(elicit.length > 0
      ? [`elicit: { ${elicit.map((kind) => `${kind}: answers.handlers.elicit`).join(', ')} },`]
      : []),
    ...(sampling ? ['sample: answers.handlers.sample,'] : []),
    ...(roots ? ['roots: answers.handlers.roots,'] : []),
  ]
}

function expectationOf(call: PlaygroundCallDetail, request: string): string[] {
  const [failed] = eventsOf(call, 'error')
  if (failed) return [`    await assert.rejects(${request}, { code: ${text(failed.error.code)} })`]
  const [ended] = eventsOf(call, 'result')
  const result = (ended?.result ?? {}) as JsonObject
  const telling = (TELLING[call.method] ?? Object.keys(result)).filter(
    (key) => key in result && key !== '_meta' && key !== 'resultType',
  )
  return [
    `    const result = await ${request}`,
    ...telling.map((key) => `    assert.deepEqual(result.${key}, ${indented(result[key], 4)})`),
  ]
}

function eventsOf<Type extends PlaygroundEvent['type']>(
  { events }: PlaygroundCallDetail,
  type: Type,
): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type)
}

function text(value: unknown): string {
  return writeJson(value)
}

function indented(value: unknown, spaces: number): string {
  return writeJson(value, undefined, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`)
}
