import { isAbsolute, join, relative } from 'node:path'
import { parseUrl } from '@gantry/mcp/foreign'
import { jsonReader, writeJson } from '@gantry/mcp/exchange'
import { AdminError, createAdminClient, type AdminApi } from '../admin/contract.ts'
import {
  configFromValue,
  findConfig,
  findGateways,
  readStateFile,
  stateDirFor,
  stateHome,
  type GatewayState,
  type Loaded,
} from '../config/index.ts'
import type { Cli } from './cli.ts'
import { CliError } from './cli-error.ts'
import type { CliIo } from './cli-io.ts'
import { isLoopbackHost } from '../model/index.ts'
import { loadTrusted, type TrustedConfig } from './load-trusted.ts'
import { noConfig } from './accept-config.ts'

/** The admin API of a running gateway, or of a gateway that was made for this command. */
export interface OpenAdmin {
  readonly api: AdminApi
  /** Whether a gateway was found; otherwise targets are started for this command alone. */
  readonly isRunning: boolean
  /** The address of its console, with the token if it is known. */
  readonly consoleAddress: string
  close(): Promise<void>
}

export interface AdminNeeds {
  /** The command is about a server that no configuration has. */
  readonly alone?: boolean
  /** Whether callers are accepted that may only decide about approvals. */
  readonly approver?: boolean
}

const PATIENCE = 3000
/** Keeps numbers in the answers of tools as they were written. */
const EXACT = { parse: jsonReader('source'), stringify: (value: unknown): string => writeJson(value) }

/** Finds the running gateway of the configuration, or starts one in this process. `GANTRY_URL` overrides. */
export async function openAdmin(
  cli: Cli,
  { alone = false, approver = false }: AdminNeeds = {},
): Promise<OpenAdmin> {
  if (alone) return openLocal(await nothing(cli.io), undefined, cli.io)
  const { GANTRY_URL: url, GANTRY_TOKEN: token } = cli.io.places.env
  if (url) return required(await connect({ url: url.replace(/\/+$/, '') }, token, approver), url)
  const found = findConfig(cli.io.places, cli.options.config)
  // A gateway that the user runs with this file is asked as it is: nothing is started.
  const own = found === undefined ? undefined : await readStateFile(stateDirFor(found, cli.io.places))
  const answering = own ? await connect(own, token) : undefined
  if (answering) return answering
  const config = await loadTrusted(cli)
  if (!config) {
    const running = await onlyGateway(cli.io, token)
    if (running) return running
    throw noConfig(cli.io.places)
  }
  const { loaded } = config
  const { stateDir } = loaded.model
  const state = await readStateFile(stateDir)
  const running = state && (await connect(state, mayHaveToken(state, stateDir, cli.io) ? token : undefined))
  return running ?? openLocal(loaded, config, cli.io)
}

/** `GANTRY_TOKEN` goes only to this machine or by the user's own state folder: others may name any address. */
function mayHaveToken({ url }: GatewayState, stateDir: string, { places }: CliIo): boolean {
  const home = join(stateHome(places), 'gantry')
  const isOwnPlace = !relative(home, stateDir).startsWith('..') && !isAbsolute(relative(home, stateDir))
  return isOwnPlace || isLoopbackHost(parseUrl(url)?.hostname ?? '')
}

/** Without a configuration there may still be a gateway: the demo, or a server under development. */
async function onlyGateway(io: CliIo, token: string | undefined): Promise<OpenAdmin | undefined> {
  const found = await findGateways(io.places)
  if (found.length > 1) {
    const list = found.map(({ url, serves }) => `${url}${serves === undefined ? '' : ` (${serves})`}`)
    throw new CliError(`There is no configuration here, and ${found.length} gateways are running`, {
      exitCode: 2,
      fix: `Say which with --config FILE or GANTRY_URL: ${list.join(', ')}`,
    })
  }
  return found[0] && connect(found[0], token)
}

async function nothing(io: CliIo): Promise<Loaded> {
  const loaded = await configFromValue({}, { places: io.places })
  if (!loaded.ok) throw new Error('An empty configuration is not usable')
  return loaded
}

async function connect(
  state: Pick<GatewayState, 'url' | 'token'>,
  token: string | undefined,
  approver = false,
): Promise<OpenAdmin | undefined> {
  const api = createAdminClient({ url: state.url, token: state.token ?? token, json: EXACT })
  try {
    await api.call(approver ? 'approvals' : 'session', {}, { signal: AbortSignal.timeout(PATIENCE) })
    const known = state.token === undefined ? '' : `#token=${state.token}`
    const consoleAddress = `${state.url}/console/${known}`
    return { api, isRunning: true, consoleAddress, close: async () => {} }
  } catch (error) {
    if (!(error instanceof AdminError)) return undefined
    throw new CliError(`The gateway at ${state.url} refuses: ${error.message}`, {
      fix: 'Set GANTRY_TOKEN to a key with the scope "gantry:admin".',
      cause: error,
    })
  }
}

function required(found: OpenAdmin | undefined, url: string): OpenAdmin {
  if (found) return found
  throw new CliError(`No gateway answers at ${url}`, { fix: 'Check GANTRY_URL.' })
}

async function openLocal(loaded: Loaded, config: TrustedConfig | undefined, io: CliIo): Promise<OpenAdmin> {
  // Loaded on demand: with a running gateway none of it is needed.
  const { openLocalGateway } = await import('../main.ts')
  const overrides = { host: undefined, port: undefined }
  const { api, close } = await openLocalGateway({
    model: loaded.model,
    source: config && { ...config, places: io.places, overrides },
    places: io.places,
    logLevel: 'error',
  })
  return { api, isRunning: false, consoleAddress: '', close }
}

export async function withAdmin<T>(
  cli: Cli,
  work: (admin: OpenAdmin) => Promise<T>,
  needs: AdminNeeds = {},
): Promise<T> {
  const admin = await cli.progress('Looking for the gateway', () => openAdmin(cli, needs))
  try {
    return await work(admin)
  } catch (error) {
    throw toCliError(error)
  } finally {
    await cli.progress('Stopping what was started', () => admin.close())
  }
}

/** Refusals of the API, over HTTP or in this process, say what to do. */
function toCliError(error: unknown): unknown {
  const { problem } = error as { problem?: { message: string; fix?: string } }
  if (!(error instanceof Error) || typeof problem?.message !== 'string') return error
  return new CliError(problem.message, { fix: problem.fix, cause: error })
}
