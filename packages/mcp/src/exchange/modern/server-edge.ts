import {
  INVALID_PARAMS,
  isJsonObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  UNSUPPORTED_PROTOCOL_VERSION,
  type JsonRpcRequest,
} from '../../jsonrpc/index.ts'
import {
  isLoggingLevel,
  isMethodInRevision,
  META,
  type Implementation,
  type LoggingLevel,
  type Revision,
} from '../../protocol/index.ts'
import { detachHint, wantsDetachHint, namedLog, wantsNamedLogs, paramsFor } from '../message-hints.ts'
import type { ClientFacts, Notification } from '../exchange.ts'
import { IncreasingProgress } from '../server/announcements.ts'
import { writeNotification, modernRevisions, type Served } from '../server/answer.ts'
import { PlainExchange, type RequestContext } from '../plain-exchange.ts'

/** Modern: it has the envelope, or is `server/discover` of a client that is not known as legacy. */
export function isModernRequest(request: JsonRpcRequest, isLegacyClient: boolean = false): boolean {
  const meta = request.params?._meta
  if (isJsonObject(meta) && Object.hasOwn(meta, META.protocolVersion)) return true
  return request.method === 'server/discover' && !isLegacyClient
}

export interface Envelope {
  client: ClientFacts
  logLevel: LoggingLevel | undefined
}

/**
 * Reads version, identity and capabilities from `_meta`. When one of them is invalid, throws the ProtocolError to
 * answer.
 */
export function readEnvelope(request: JsonRpcRequest, served: Served): Envelope {
  const meta = request.params?._meta
  if (!isJsonObject(meta)) throw missing('_meta')
  const version = meta[META.protocolVersion]
  if (typeof version !== 'string') throw missing(`_meta["${META.protocolVersion}"]`)
  const supported = modernRevisions(served)
  if (!(supported as readonly string[]).includes(version)) {
    throw new ProtocolError(UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', {
      supported,
      requested: version,
    })
  }
  const capabilities = meta[META.clientCapabilities]
  if (!isJsonObject(capabilities)) throw missing(`_meta["${META.clientCapabilities}"]`)
  const info = meta[META.clientInfo]
  const logLevel = meta[META.logLevel]
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid log level in _meta["${META.logLevel}"]`)
  }
  return {
    client: {
      info: isJsonObject(info) ? (info as unknown as Implementation) : undefined,
      capabilities,
      version: version as Revision,
    },
    logLevel,
  }
}

function missing(what: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: ${what} is required on every request`)
}

/** Opens the exchange of a modern request, or says why the request is not a valid modern request. */
export function openModernExchange(
  request: JsonRpcRequest,
  served: Served,
  context: RequestContext,
  send: (text: string) => void,
  connection?: { readonly id: string },
): PlainExchange {
  const { client, logLevel } = readEnvelope(request, served)
  if (!isMethodInRevision(request.method, client.version)) {
    throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${request.method}`)
  }
  const params = paramsFor(served, request)
  let progress: IncreasingProgress | undefined
  return new PlainExchange({
    method: request.method,
    id: request.id,
    params,
    client,
    logLevel,
    auth: context.auth,
    serverContext: context.serverContext,
    headers: context.headers,
    peer: context.peer,
    connection,
    notify: (notification) => {
      progress ??= new IncreasingProgress()
      if (!progress.admits(notification)) return
      send(writeNotification(name(notification, request)))
    },
    detach: wantsDetachHint(params)
      ? (retryMs) => send(writeNotification(detachHint(request.id, retryMs)))
      : undefined,
  })
}

/** The notification with the id of its request, if the client's revision has a place for it. */
function name(notification: Notification, { method, id, params }: JsonRpcRequest): Notification {
  if (method === 'subscriptions/listen') return withSubscriptionId(notification, id)
  return params && wantsNamedLogs(params) ? namedLog(notification, id) : notification
}

/** Every message on a listen stream names the request that opened it (2026-07-28, Subscriptions). */
function withSubscriptionId(notification: Notification, id: JsonRpcRequest['id']): Notification {
  const meta = notification.params?._meta
  return {
    method: notification.method,
    params: {
      ...notification.params,
      _meta: { ...(isJsonObject(meta) ? meta : undefined), [META.subscriptionId]: id },
    },
  }
}
