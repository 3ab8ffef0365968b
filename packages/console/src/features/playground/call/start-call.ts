import { call, gateway, isUnreachable } from '../../../api/call.ts'
import type { JsonObject, PlaygroundEvent, StartCall } from '../../../api/contract.ts'
import { clientSettings, toClient } from '../client-settings.ts'
import type { Request } from '../to-request.ts'

/** Sends a request as the client that was chosen; resolves with the call's id. */
export async function startCall({ method, params }: Request): Promise<string> {
  const settings = clientSettings.get()
  const timeout = Number(settings.timeoutSeconds) * 1_000
  const body: StartCall = {
    method,
    params,
    client: toClient(settings),
    ...(settings.logLevel !== '' && { logLevel: settings.logLevel }),
    ...(timeout > 0 && { timeout }),
  }
  return (await call('startCall', { body })).id
}

const ENDS = new Set<string>(['result', 'error', 'cancelled'])

export function isEnd(event: PlaygroundEvent): boolean {
  return ENDS.has(event.type)
}

/** Everything that happens in a call, from its beginning to its end, over lost connections. */
export async function* callEvents(id: string, signal: AbortSignal): AsyncGenerator<PlaygroundEvent> {
  let last = 0
  for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, 5_000)) {
    try {
      const lastEventId = last > 0 ? String(last) : undefined
      for await (const { event } of gateway.stream(
        'playgroundEvents',
        { params: { id } },
        { signal, lastEventId },
      )) {
        last = event.seq
        wait = 250
        yield event
        if (isEnd(event)) return
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isUnreachable(error) && !(error instanceof TypeError)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** For small requests whose answer is all that matters; failures are no answer. */
export async function ask(request: Request, signal: AbortSignal): Promise<JsonObject | undefined> {
  try {
    for await (const event of callEvents(await startCall(request), signal)) {
      if (event.type === 'result') return event.result
    }
  } catch {
    // Suggestions are a convenience.
  }
  return undefined
}
