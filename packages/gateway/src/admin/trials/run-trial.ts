import { EraCache, McpError } from '@gantry/mcp/client'
import {
  LATEST_MODERN,
  isJsonObject,
  PlainExchange,
  MemoryContinuations,
  META,
  METHOD_NOT_FOUND,
  ProtocolError,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import { fetchLists, type FetchedLists } from '../../catalog/fetch-lists.ts'
import type { TargetModel } from '../../model/index.ts'
import { OlderEra } from '../../targets/connection/older-era.ts'
import type { TargetConnection } from '../../targets/connected/target-connection.ts'
import { serverMark } from '../../targets/server-mark.ts'
import { StartLimit } from '../../targets/launchers/start-limit.ts'
import { openConnection } from '../../targets/connection/open-connection.ts'
import type { Handshake } from '../../telemetry/handshake.ts'
import { TargetTap } from '../../telemetry/exchange-log.ts'
import type { StderrRing } from '../../telemetry/stderr-ring.ts'
import type { AdminHost } from '../admin-host.ts'
import { estimateTokens } from '../catalog/estimate-tokens.ts'
import { countOf, type JsonObject, type TrialCall, type TrialFindings } from '../contract.ts'

export interface TrialRun {
  readonly host: AdminHost
  readonly model: TargetModel
  readonly handshake: Handshake
  readonly stderr: StderrRing
  readonly call: TrialCall | undefined
  readonly signal: AbortSignal
  onStderr(): void
}

/** How long lists and calls may take; starting has the target's own limit. */
const ASK_TIMEOUT = 30_000
const NAMES_SHOWN = 100

/** Tries a target on its own connection: connect, handshake, lists and, if asked, a call. Then closes it. */
export async function runTrial(run: TrialRun): Promise<TrialFindings> {
  const { handshake } = run
  const connection = await connect(run)
  try {
    handshake.active = true
    handshake.begin('list')
    const offered: unknown[] = []
    const { lists, failures } = await fetchLists({
      send: async (exchange) => {
        const outcome = await ask(connection, exchange, run.signal)
        if (outcome.type === 'complete' && Array.isArray(outcome.result.tools))
          offered.push(...outcome.result.tools)
        return outcome
      },
      capabilities: connection.discovery.capabilities,
      info: run.host.gateway.info,
      before: undefined,
    })
    if (failures.length > 0) throw failures[0]
    handshake.end(
      (['tool', 'prompt', 'resource'] as const)
        .map((kind) => countOf(lists[`${kind}s`].length, kind))
        .join(', '),
    )
    for (const warning of oddities(offered)) handshake.warn(warning)
    if (run.call) await callTool(connection, run.call, run)
    return findings(run, connection, lists)
  } finally {
    handshake.active = false
    await connection.close().catch(() => {})
  }
}

async function connect({
  host,
  model,
  handshake,
  stderr,
  signal,
  onStderr,
}: TrialRun): Promise<TargetConnection> {
  const limit = new StartLimit(model, () =>
    handshake.warn(
      `It was still being installed after ${model.timeouts.start} ms: a launcher gets more time`,
    ),
  )
  try {
    return await openConnection(
      model,
      {
        ...host.gateway.services,
        continuations: new MemoryContinuations(),
        auth: undefined,
        headers: undefined,
        // A trial forgets earlier findings: it has to find everything out again.
        eras: new EraCache(),
        handshake,
        tap: new TargetTap(handshake),
        onStderr: (line) => {
          stderr.push(line)
          onStderr()
        },
        onAmbiguous: () => {},
        onProcess: (process) => limit.watch(process),
        grace: () => limit.grace,
        onNotification: () => {},
        onSharedQuestion: () => {},
      },
      AbortSignal.any([signal, limit.signal]),
    )
  } finally {
    limit.stop()
  }
}

/** Sends a request with a time limit. Throws all errors except that the server does not have the method. */
async function ask(
  connection: TargetConnection,
  exchange: PlainExchange,
  signal: AbortSignal,
): Promise<Outcome> {
  const limit = AbortSignal.timeout(ASK_TIMEOUT)
  const onAbort = (): void =>
    exchange.abort(new McpError('timeout', `${exchange.method} was not answered within ${ASK_TIMEOUT} ms`))
  const either = AbortSignal.any([signal, limit])
  either.addEventListener('abort', onAbort, { once: true })
  try {
    const outcome = await connection.handle(exchange as Exchange)
    if (outcome.type === 'error' && outcome.error.code !== METHOD_NOT_FOUND) {
      throw ProtocolError.fromJsonRpc(outcome.error)
    }
    return outcome
  } finally {
    either.removeEventListener('abort', onAbort)
  }
}

async function callTool(
  connection: TargetConnection,
  call: TrialCall,
  { handshake, host, signal }: TrialRun,
): Promise<void> {
  handshake.begin('call', call.tool)
  const params = { name: call.tool, arguments: call.arguments ?? {} }
  const client = { info: host.gateway.info, capabilities: {}, version: LATEST_MODERN }
  const outcome = await ask(connection, new PlainExchange({ method: 'tools/call', params, client }), signal)
  if (outcome.type === 'error') throw ProtocolError.fromJsonRpc(outcome.error)
  if (outcome.type === 'complete' && outcome.result.isError === true) {
    throw new McpError(
      'tool_failed',
      `The tool says that it failed: ${JSON.stringify(outcome.result.content)}`,
    )
  }
  handshake.end(outcome.type === 'complete' ? call.tool : `${call.tool}: ${outcome.type}`)
}

/** Which eras are used and why. The gateway may have learned from calls what a trial does not see. */
function describeEras({ host, model }: TrialRun, connection: TargetConnection): string | undefined {
  const running = host.gateway.target(model.name)
  const isSame = running && running.model.era === model.era && serverMark(running.model) === serverMark(model)
  const learned = isSame ? running.olderEra.description : undefined
  if (learned !== undefined) return learned
  const olderEra = new OlderEra()
  olderEra.note(model, connection)
  return olderEra.description
}

function findings(run: TrialRun, connection: TargetConnection, lists: FetchedLists): TrialFindings {
  const { discovery } = connection
  const eras = describeEras(run, connection)
  const serverInfo = discovery._meta?.[META.serverInfo] as TrialFindings['serverInfo']
  return {
    era: connection.era,
    revision: connection.version,
    transport: connection.transport,
    ...(eras !== undefined && { eras }),
    ...(serverInfo && { serverInfo }),
    capabilities: discovery.capabilities as JsonObject,
    ...(discovery.instructions !== undefined && { instructions: discovery.instructions }),
    counts: {
      tools: lists.tools.length,
      prompts: lists.prompts.length,
      resources: lists.resources.length,
      templates: lists.templates.length,
      tokens: lists.tools.reduce((sum, tool) => sum + estimateTokens(tool), 0),
    },
    tools: lists.tools.slice(0, NAMES_SHOWN).map(({ name }) => String(name)),
  }
}

/** Tools, as the server has them, that some clients or models will not take. */
function oddities(tools: readonly unknown[]): string[] {
  const seen = new Set<string>()
  return tools.flatMap((tool) => {
    const { name, inputSchema } = isJsonObject(tool) ? tool : {}
    const found: string[] = []
    const shown = JSON.stringify(name)
    if (typeof name !== 'string' || name === '') return [`A tool has no name: ${shown}`]
    if (seen.has(name)) found.push(`There are two tools ${shown}`)
    seen.add(name)
    if (!isJsonObject(inputSchema)) found.push(`The tool ${shown} has no inputSchema`)
    else if (inputSchema.type !== 'object') found.push(`The inputSchema of ${shown} is not of type "object"`)
    if (!/^[\w.-]{1,64}$/.test(name))
      found.push(`Some models refuse the name ${shown}: letters, digits, "_", "-" and "." only, 64 at most`)
    return found
  })
}
