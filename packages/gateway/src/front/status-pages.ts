import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NodeHandler } from '@gantry/mcp/server/node'
import type { Gateway } from '../gateway.ts'
import type { MetricsPage } from '../telemetry/prometheus/metrics-page.ts'
import type { WorkerPort } from '../workers/worker-port.ts'
import type { Door } from './door.ts'
import { ALIVE, readiness, verbose } from './health.ts'
import { metricsOf, refuseScraper } from './metrics-text.ts'

type StatusPath = '/health' | '/ready' | '/metrics'

export function isStatus(path: string): path is StatusPath {
  return path === '/health' || path === '/ready' || path === '/metrics'
}

export interface StatusHost {
  readonly gateway: Gateway
  readonly door: Door
  readonly workers?: WorkerPort | undefined
  isDraining(): boolean
  services(): readonly NodeHandler['service'][]
}

/** How the gateway is: `/health` and `/ready` for load balancers, `/metrics` for Prometheus. */
export class StatusPages {
  readonly #host: StatusHost

  constructor(host: StatusHost) {
    this.#host = host
  }

  answer(path: StatusPath, request: IncomingMessage, response: ServerResponse): Promise<void> {
    return path === '/metrics' ? this.#metrics(request, response) : this.#health(path, request, response)
  }

  /** Anyone learns whether the gateway works. Details of its targets take the same credential as the metrics. */
  async #health(path: StatusPath, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { gateway } = this.#host
    let answer = path === '/health' ? ALIVE : readiness(gateway, this.#host.isDraining())
    if (new URLSearchParams(request.url?.split('?', 2)[1]).has('verbose')) {
      if (await this.#refused(request, response)) return
      answer = verbose(answer, gateway, this.#mayKnow)
    }
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    response.writeHead(answer.code, headers).end(`${JSON.stringify(answer.body)}\n`)
  }

  /**
   * When a credential is needed, its holders are operators. When none is needed, every caller may read the page, and
   * policy decides what it shows.
   */
  readonly #mayKnow = (target: Gateway['targets'][number]): boolean => {
    const { gateway, door } = this.#host
    return door.guard !== undefined || gateway.mayKnow(target, {})
  }

  /** True when the request was refused, because it has no credential for metrics. */
  async #refused(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const refused = await refuseScraper(request, this.#host.door.guard)
    if (refused) response.writeHead(refused.status, refused.headers).end(refused.body)
    return refused !== undefined
  }

  async #metrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await this.#refused(request, response)) return
    const page = await this.metrics(request.headers.accept?.includes('application/openmetrics-text') === true)
    const { workers } = this.#host
    const text = await (workers ? page.textWith(await workers.askOthers('metrics')) : page.text())
    response.writeHead(200, { 'content-type': page.type }).end(text)
  }

  /** The numbers of this process. */
  async metrics(open: boolean): Promise<MetricsPage> {
    const { gateway } = this.#host
    const sessions = this.#host
      .services()
      .flatMap(({ sessions, sseSessions }) => [...sessions.all.values(), ...sseSessions])
    const targets = gateway.targets.filter(this.#mayKnow)
    return metricsOf(gateway, {
      targets,
      sessions: sessions.length,
      tools: this.#host.door.guard !== undefined || gateway.model.policy.rules.length === 0,
      open,
    })
  }
}
