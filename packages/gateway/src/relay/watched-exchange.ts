import { deriveExchange, type Exchange, type InputRequests, type InputResponses } from '@gantry/mcp/exchange'
import type { ExchangeRecord } from '../telemetry/exchange-record.ts'
import type { WireView } from '../telemetry/wire-view.ts'

/** The caller's exchange with somebody looking over its shoulder: notifications and live questions are recorded. */
export function watchedExchange(exchange: Exchange, record: ExchangeRecord, view: WireView): Exchange {
  const { ask } = exchange
  return deriveExchange(exchange, {
    notify(notification) {
      view.add(record, { hop: 'client', direction: 'out', message: notification })
      exchange.notify(notification)
    },
    ask: ask && ((requests, signal) => asked(ask, requests, signal, record, view)),
  })
}

/** Legacy clients are asked while the call runs; each question is a request of its own there. */
async function asked(
  ask: NonNullable<Exchange['ask']>,
  requests: InputRequests,
  signal: AbortSignal | undefined,
  record: ExchangeRecord,
  view: WireView,
): Promise<InputResponses> {
  for (const request of Object.values(requests)) {
    const note = `a question of the target → \`${request.method}\` to the client`
    view.add(record, { hop: 'client', direction: 'out', message: request, note })
  }
  const answers = await ask(requests, signal)
  for (const answer of Object.values(answers)) {
    view.add(record, { hop: 'client', direction: 'in', message: { result: answer } })
  }
  return answers
}
