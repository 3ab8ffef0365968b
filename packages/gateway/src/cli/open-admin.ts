import { AdminError, createAdminClient, type AdminApi } from '../admin/contract.ts'
import {
  configFromValue,
  findConfig,
  loadConfig,
  readStateFile,
  type GatewayState,
  type Loaded,
} from '../config/index.ts'
import { resolve } from 'node:path'
import { CliError, CliExit } from './cli-error.ts'
import { paintFor, type CliIo, type GlobalOptions } from './cli-io.ts'
import { printProblems } from './print-problems.ts'
import { requireConfig } from './require-config.ts'

/** The admin API, of a gateway that runs or of one that was made for this command. */
export interface OpenAdmin {
  readonly api: AdminApi
  /** Whether a gateway was found; otherwise targets are started for this command alone. */
  readonly isRunning: boolean
  close(): Promise<void>
}

const PATIENCE = 3000

/**
 * Finds the gateway that runs with the configuration; makes one in this process when there is none. `GANTRY_URL`
 * and `GANTRY_TOKEN` lead to any other.
 */
export async function openAdmin(io: CliIo, options: GlobalOptions): Promise<OpenAdmin> {
  const { GANTRY_URL: url, GANTRY_TOKEN: token } = io.places.env
  if (url) return required(await connect({ url: url.replace(/\/+$/, '') }, token), url)
  const file = options.config === undefined ? findConfig(io.places) : resolve(io.places.cwd, options.config)
  if (file === undefined) return openDemo(io, token)
  const loaded = await loadConfig(file, { places: io.places })
  if (!loaded.ok) {
    await printProblems(loaded.problems, {
      file,
      stream: io.stderr,
      io,
      paint: paintFor(io.stderr, io, options),
    })
    throw new CliExit(2)
  }
  const state = await readStateFile(loaded.model.stateDir)
  const running = state && (await connect(state, token))
  return running ?? openLocal(loaded, file, io)
}

/** Without a configuration there may still be the demo. */
async function openDemo(io: CliIo, token: string | undefined): Promise<OpenAdmin> {
  const none = await configFromValue({}, { places: io.places })
  const state = none.ok ? await readStateFile(none.model.stateDir) : undefined
  const running = state && (await connect(state, token))
  if (running) return running
  requireConfig(io, undefined)
  throw new CliExit(2)
}

async function connect(
  state: Pick<GatewayState, 'url' | 'token'>,
  token: string | undefined,
): Promise<OpenAdmin | undefined> {
  const api = createAdminClient({ url: state.url, token: state.token ?? token })
  try {
    await api.call('session', {}, { signal: AbortSignal.timeout(PATIENCE) })
    return { api, isRunning: true, close: async () => {} }
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

async function openLocal(loaded: Loaded, file: string, io: CliIo): Promise<OpenAdmin> {
  // Loaded on demand: with a running gateway none of it is needed.
  const { openLocalGateway } = await import('../main.ts')
  const overrides = { host: undefined, port: undefined }
  const { api, close } = await openLocalGateway({
    model: loaded.model,
    source: { file, loaded, places: io.places, overrides },
    logLevel: 'error',
  })
  return { api, isRunning: false, close }
}

/** Runs a command's work with the API and closes it, whatever happens. */
export async function withAdmin<T>(
  io: CliIo,
  options: GlobalOptions,
  work: (admin: OpenAdmin) => Promise<T>,
): Promise<T> {
  const admin = await openAdmin(io, options)
  try {
    return await work(admin)
  } catch (error) {
    throw toCliError(error)
  } finally {
    await admin.close()
  }
}

/** Refusals of the API, over HTTP or in this process, say what to do. */
function toCliError(error: unknown): unknown {
  const { problem } = error as { problem?: { message: string; fix?: string } }
  if (!(error instanceof Error) || typeof problem?.message !== 'string') return error
  return new CliError(problem.message, { fix: problem.fix, cause: error })
}
