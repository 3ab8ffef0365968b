import type { ServerResponse } from 'node:http'
import type { Gateway } from '../gateway.ts'

/** `/health`: the process lives. `/ready`: every target that is to be running is, or has a last-known list. */
export function answerHealth(
  path: string,
  gateway: Gateway,
  response: ServerResponse,
  detailed: boolean,
): void {
  const targets = gateway.targets.map((target) => ({ name: target.name, state: target.state }))
  const gaps = gateway.catalog.merged
    .gaps()
    .filter((gap) => gap.state === 'missing' && isEager(gateway, gap.target))
  const ready = path === '/health' || gaps.length === 0
  const status = ready ? 'ok' : 'not ready'
  const body = JSON.stringify(detailed ? { status, targets, missing: gaps } : { status })
  response.writeHead(ready ? 200 : 503, { 'content-type': 'application/json' }).end(`${body}\n`)
}

function isEager(gateway: Gateway, name: string): boolean {
  return gateway.target(name)?.model.start === 'eager'
}
