import { readFileSync } from 'node:fs'
import type { Served } from '@gantry/mcp/exchange'
import { serveStdio } from '@gantry/mcp/server/node'
import { createGuard } from './front/create-guard.ts'
import { Front } from './front/front.ts'
import { Gateway } from './gateway.ts'
import type { RawConfig } from './config/index.ts'
import type { GatewayModel } from './model/index.ts'
import { createSealer } from './sealing-key.ts'
import { createLog, type LogLevel } from './telemetry/log.ts'

export interface StartOptions {
  readonly model: GatewayModel
  readonly embedded?: ReadonlyMap<string, Served>
  /** Instead of the configured level. */
  readonly logLevel?: LogLevel
  /** Tries the following ports when the first is taken. */
  readonly searchPort?: boolean
}

export interface RunningGateway {
  readonly gateway: Gateway
  readonly front: Front
  readonly url: string
  /** Serves one client on standard input and output until it goes away. */
  serveStdio(): Promise<void>
  close(): Promise<void>
}

const PORTS_TO_TRY = 20

/** The only wiring: model → targets, catalog, relay → front. */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const { model } = options
  const { logLevel, logFormat } = model.telemetry
  const log = createLog({ level: options.logLevel ?? logLevel, format: logFormat })
  const guard = await createGuard(model)
  const gateway = new Gateway({
    model,
    sealer: await createSealer(model),
    log,
    version: version(),
    ...(options.embedded && { embedded: options.embedded }),
  })
  const front = new Front({ gateway, ...guard })
  // The first client to come finds what the last run knew.
  await gateway.load()
  const port = await listen(front, model, options.searchPort ?? false)
  gateway.start()
  const host = model.server.host.includes(':') ? `[${model.server.host}]` : model.server.host
  return {
    gateway,
    front,
    url: `http://${host}:${port}`,
    serveStdio: () => serveStdio(gateway.endpoint()!),
    async close() {
      await front.close()
      await gateway.close()
    },
  }
}

async function listen(front: Front, model: GatewayModel, search: boolean): Promise<number> {
  const { host, port } = model.server
  for (let attempt = 0; ; attempt++) {
    try {
      return await front.listen(port === 0 ? 0 : port + attempt, host)
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!taken || !search || attempt === PORTS_TO_TRY) throw error
    }
  }
}

export function version(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

export interface DemoSource {
  readonly config: RawConfig
  readonly embedded: Map<string, Served>
}

/** The demo's configuration and the server that runs in this process. Loaded only when it is wanted. */
export async function loadDemo(): Promise<DemoSource> {
  const { demoConfig } = await import('./demo/demo-config.ts')
  return demoConfig()
}
