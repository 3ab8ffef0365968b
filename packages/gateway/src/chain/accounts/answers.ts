import { complete, INVALID_REQUEST, ProtocolError, type Outcome } from '@gantry/mcp/exchange'
import type { ResolvedExchange } from '../gateway-exchange.ts'

/** Models read the results of tools; everything else fails with an error. */
export function refuse(
  { method, resolved }: ResolvedExchange,
  reason: 'no-person' | 'not-connected' | 'declined' | 'expired',
  text: string,
): Outcome {
  if (method === 'tools/call') {
    return complete({
      content: [{ type: 'text', text }],
      isError: true,
      _meta: { 'dev.gantry/account': reason },
    })
  }
  throw new ProtocolError(INVALID_REQUEST, text, {
    reason: 'account',
    account: reason,
    target: resolved.target.name,
  })
}

const called = ({ resolved: { target } }: ResolvedExchange): string => target.model.title ?? target.name

export function noPerson(exchange: ResolvedExchange): string {
  return `This call was not made: ${called(exchange)} is used with an account of each person, and this caller is nobody in particular. Sign in to the gateway, or use a key.`
}

/** For callers whose credential cannot be exchanged. */
export function noToken(exchange: ResolvedExchange): string {
  return `This call was not made: ${called(exchange)} is used with the caller's own login, and the login of this caller cannot be exchanged, or has ended. Sign in to the gateway (again), instead of using a key.`
}

export function connectText(exchange: ResolvedExchange): string {
  return `${called(exchange)} is used with your own account. Connect it on this page; the call goes on after that.`
}

export function linkText(exchange: ResolvedExchange, link: string): string {
  return `This call was not made: ${called(exchange)} is used with the user's own account, which is not connected. Ask the user to open ${link} and to connect it. The link is for this user, and works once. Repeat the call after that.`
}

export function declinedText(exchange: ResolvedExchange): string {
  return `This call was not made: the user did not want to connect an account of ${called(exchange)}.`
}

export function expiredText(exchange: ResolvedExchange): string {
  return `This call was not made: no account of ${called(exchange)} was connected in time. Repeat the call to ask once more.`
}

export function connectedText(exchange: ResolvedExchange, tools: number | undefined): string {
  const listed =
    tools === undefined ? 'Its tools are listed now.' : `It has ${tools} tools, which are listed now.`
  return `Your account of ${called(exchange)} is connected. ${listed}`
}
