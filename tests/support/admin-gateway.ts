import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { adminSchema, schemaOf } from '../../packages/gateway/src/admin/check-request.ts'
import { createAdminClient, type AdminApi } from '../../packages/gateway/src/admin/contract.ts'
import { currentPlaces, loadConfig } from '../../packages/gateway/src/config/index.ts'
import { loadDemo, startGateway, type RunningGateway } from '../../packages/gateway/src/main.ts'

export interface AdminGateway extends RunningGateway {
  readonly api: AdminApi
  readonly dir: string
  readonly file: string
  readConfig(): Promise<string>
  /** A request as any script would make it. */
  fetch(path: string, init?: RequestInit & { token?: string | undefined }): Promise<Response>
}

/** A gateway on a free port that follows a real configuration file; `close` leaves nothing behind. */
export async function adminGateway(
  config: string | Record<string, unknown>,
  { name = 'gantry.jsonc', env = {} }: { name?: string; env?: Record<string, string> } = {},
): Promise<AdminGateway> {
  const dir = await mkdtemp(join(tmpdir(), 'gantry-admin-'))
  const file = join(dir, name)
  const text =
    typeof config === 'string' ? config : JSON.stringify({ stateDir: './state', ...config }, undefined, 2)
  await writeFile(file, text)
  const places = { ...currentPlaces(), env: { ...process.env, ...env } }
  const overrides = { port: 0, host: undefined }
  const loaded = await loadConfig(file, { places, overrides })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, undefined, 2))
  const { embedded } = await loadDemo()
  const running = await startGateway({
    model: loaded.model,
    source: { file, loaded, places, overrides },
    logLevel: 'error',
    embedded,
  })
  return {
    ...running,
    dir,
    file,
    api: checked(createAdminClient({ url: running.url, token: running.adminToken })),
    readConfig: () => readFile(file, 'utf8'),
    fetch: (path, { token = running.adminToken, ...init } = {}) =>
      fetch(running.url + path, {
        ...init,
        headers: { ...(token !== '' && { authorization: `Bearer ${token}` }), ...init.headers },
      }),
    async close() {
      await running.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Every answer is held against the contract. */
function checked(api: AdminApi): AdminApi {
  return {
    ...api,
    async call(name, input, options) {
      const reply = await api.call(name, input, options)
      const { definitions } = adminSchema()
      const validator = new Validator({ ...schemaOf(name, 'reply'), definitions }, '7', false)
      const { valid, errors } = validator.validate(reply)
      if (!valid)
        throw new Error(`${name} does not answer as the contract says: ${JSON.stringify(errors.at(-1))}`)
      return reply
    },
  }
}

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>

/** Until a condition holds, or ten seconds have passed. */
export async function until<T>(condition: () => T | Promise<T>, what = 'It'): Promise<Truthy<T>> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const value = await condition()
    if (value) return value as Truthy<T>
    if (Date.now() > deadline) throw new Error(`${what} did not happen within 10 s`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
