import { parseUrl } from '../../../protocol/index.ts'
import type { Canceller } from '../../../exchange/index.ts'
import { McpError } from '../../../jsonrpc/index.ts'
import { discard, readErrorText } from './body.ts'
import { badResponse, displayUrl, networkError, statusError, timeoutError } from './errors.ts'
import { mediaType } from './messages.ts'
import type { HttpClientSettings } from './options.ts'
import { sendHttp } from './send.ts'
import { createSseCursor, type OnSseEvent, readEvents } from './sse-stream.ts'

export interface EndpointStreamOptions {
  url: string
  settings: HttpClientSettings
  abort: Canceller
  /** Where messages are to be posted: the first event. */
  onEndpoint: (url: string) => void
  onData: (data: string) => void
}

/** Reads an HTTP+SSE stream. Rejects when it cannot be opened; resolves with why it was lost. */
export async function openEndpointStream(options: EndpointStreamOptions): Promise<McpError> {
  const { url, settings, abort } = options
  const { body, base } = await openStream(options)
  const timer = setTimeout(
    () => abort.abort(timeoutError(url, 'GET with an endpoint event', settings.connectTimeout)),
    settings.connectTimeout,
  )
  let endpoint: string | undefined
  const onEvent: OnSseEvent = (data, type) => {
    if (type === 'message' && endpoint !== undefined) return options.onData(data)
    if (type !== 'endpoint' || endpoint !== undefined) return
    clearTimeout(timer)
    endpoint = endpointUrl(data, base)
    options.onEndpoint(endpoint)
  }
  let cause: unknown
  try {
    const { maxMessageBytes: maxLength, arrivals } = settings
    await readEvents(body, { onEvent, cursor: createSseCursor(), maxLength, arrivals })
  } catch (thrown) {
    if (endpoint === undefined) throw networkError(url, thrown)
    if (thrown instanceof McpError && thrown.code === 'stalled') return thrown
    cause = thrown
  } finally {
    clearTimeout(timer)
  }
  if (endpoint === undefined) throw badResponse(url, 'ended its event stream before the endpoint event')
  return new McpError('closed', `The event stream from ${displayUrl(url)} ended`, {
    cause,
    details: { url: displayUrl(url) },
  })
}

async function openStream(
  options: EndpointStreamOptions,
): Promise<{ body: ReadableStream<Uint8Array>; base: string }> {
  const { url, settings, abort } = options
  const response = await sendHttp(
    {
      method: 'GET',
      url,
      headers: { accept: 'text/event-stream' },
      abort,
      headersWithin: settings.connectTimeout,
      reauthorize: true,
    },
    settings,
  )
  if (!response.ok) {
    throw statusError(response, url, 'GET', await readErrorText(response, settings.maxMessageBytes))
  }
  const { body } = response
  if (body !== null && mediaType(response) === 'text/event-stream') {
    // After a redirect, relative to where the stream came from.
    return { body, base: response.url === '' ? url : response.url }
  }
  await discard(response)
  throw badResponse(url, 'did not answer GET with an event stream. Check that it is an HTTP+SSE endpoint.', {
    status: response.status,
    contentType: mediaType(response),
  })
}

/** Credentials and messages go there, so a stream must not send them to another origin. */
function endpointUrl(data: string, base: string): string {
  const endpoint = parseUrl(data, base)
  if (endpoint === undefined) throw badResponse(base, 'named an endpoint that is not a URL')
  if (endpoint.origin !== parseUrl(base)?.origin) {
    throw badResponse(base, `named an endpoint of another origin: ${displayUrl(endpoint.href)}`)
  }
  return endpoint.href
}
