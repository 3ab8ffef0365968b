import * as say from './answers.ts'
import {
  complete,
  InsufficientScope,
  isJsonObject,
  type AuthInfo,
  type InputRequired,
  type JsonObject,
  type Outcome,
  principalKey,
} from '@gantry/mcp/exchange'
import { type GatewayModel, accountScope, type SignInModel } from '../../model/index.ts'
import { isConnectTool } from '../../catalog/invitation.ts'
import { isPersonal } from '../../targets/personal.ts'
import { TargetError } from '../../targets/target-error.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import type { Consent } from './consent.ts'
import { untilConnected } from './wait.ts'

type Next = Parameters<Link>[1]
type Signed = ResolvedExchange & { readonly auth: AuthInfo }

/** The key of our question. */
const ACCOUNT_KEY = 'gantry-account'
/** Requests whose answer may be a question (2026-07-28, Multi Round-Trip Requests). */
const ASKABLE: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/**
 * Makes sure that a call of a target with accounts of people uses the caller's own account. A caller without one is
 * asked in the best way that its client has: a page that the client opens while the call waits, a new sign-in, or a
 * link in the result.
 */
export function accountsLink({ targets, auth }: GatewayModel, given: Consent): Link | undefined {
  if (!targets.some(isPersonal)) return undefined
  const ways: Ways = { consent: given, stepUps: new StepUps(auth.signIn) }
  return async (asked, next) => {
    const exchange = asked as ResolvedExchange
    if (!isPersonal(exchange.resolved.target.model)) return next()
    if (!exchange.auth) return say.refuse(exchange, 'no-person', say.noPerson(exchange))
    return climb(exchange as Signed, ways, next)
  }
}

/** How people can be asked. */
interface Ways {
  readonly consent: Consent
  readonly stepUps: StepUps
}

async function climb(exchange: Signed, ways: Ways, next: Next): Promise<Outcome> {
  const answer = answerIn(exchange.params)
  if (answer) exchange.params = withoutAnswer(exchange.params)
  if (await isConnected(exchange, ways.consent)) {
    const outcome = await proceed(exchange, next).catch(unlessRefused)
    if (outcome) return outcome
  }
  return ask(exchange, ways, answer, next)
}

/** Makes the call. The tool that connects an account has nothing left to do. */
async function proceed(exchange: Signed, next: Next): Promise<Outcome> {
  const { target, catalog, entry } = exchange.resolved
  if (!catalog.isInvitation || !isConnectTool(entry?.item)) return next()
  await catalog.fetchOwn(await target.connectFor(exchange))
  const own = catalog.own.of(exchange)?.tools.filter((tool) => !isConnectTool(tool))
  const text = say.connectedText(exchange, own?.length)
  return complete({ content: [{ type: 'text', text }] })
}

async function isConnected(exchange: Signed, consent: Consent): Promise<boolean> {
  const { model } = exchange.resolved.target
  const { auth, headers } = exchange
  // The caller's own connection was made with the account and ends when the account ends. With a token that is sent
  // with each call, the connection stays: the newest token counts.
  const isNoted = model.credentials.kind === 'exchange' && model.credentials.subject === 'access-token'
  if (!isNoted && exchange.resolved.target.ownConnections(exchange).length > 0) return true
  return consent.has(model, { principal: auth.principal, headers })
}

/** The account is there, but the target does not take it any more. The call was not made. */
function unlessRefused(thrown: unknown): undefined {
  if (thrown instanceof TargetError && (thrown.reason === 'unauthorized' || thrown.reason === 'oauth')) {
    return undefined
  }
  throw thrown
}

/** The ways to ask, the best one first. */
async function ask(
  exchange: Signed,
  { consent, stepUps }: Ways,
  answer: JsonObject | undefined,
  next: Next,
): Promise<Outcome> {
  const { client, method, auth } = exchange
  const { target } = exchange.resolved
  if (target.model.credentials.kind === 'exchange') {
    return say.refuse(exchange, 'not-connected', say.noToken(exchange))
  }
  if (answer && answer.action !== 'accept') {
    return say.refuse(exchange, 'declined', say.declinedText(exchange))
  }
  if (answer) {
    const isThere = await untilConnected(exchange, consent)
    return isThere ? proceed(exchange, next) : say.refuse(exchange, 'expired', say.expiredText(exchange))
  }
  if (client.capabilities.elicitation?.url && ASKABLE.has(method)) {
    return question(exchange, await consent.link(auth.principal, target.name))
  }
  const link = await consent.link(auth.principal, target.name)
  const scopes = stepUps.scopesFor(auth, target.name)
  // Clients that cannot open a page show the error, which contains the link.
  if (scopes) throw new InsufficientScope(scopes, say.linkText(exchange, link))
  return say.refuse(exchange, 'not-connected', say.linkText(exchange, link))
}

function question(exchange: Signed, url: string): InputRequired {
  const elicitationId = url.slice(url.lastIndexOf('/') + 1)
  const params = { mode: 'url', message: say.connectText(exchange), url, elicitationId }
  return {
    type: 'input_required',
    inputRequests: { [ACCOUNT_KEY]: { method: 'elicitation/create', params } },
  }
}

/** The caller's answer to our question. It decides nothing: the vault has the account, or has not. */
function answerIn({ inputResponses }: JsonObject): JsonObject | undefined {
  const answer = isJsonObject(inputResponses) ? inputResponses[ACCOUNT_KEY] : undefined
  return isJsonObject(answer) ? answer : undefined
}

function withoutAnswer(params: JsonObject): JsonObject {
  const { inputResponses, ...rest } = params
  const { [ACCOUNT_KEY]: _ours, ...others } = inputResponses as JsonObject
  return Object.keys(others).length > 0 ? { ...rest, inputResponses: others } : rest
}

const MOST_ASKED = 10_000
/** A client that signs in again is back with the scope by then, or its person has given up. */
const ASK_AGAIN = 10 * 60_000

/**
 * A client that has signed in with the gateway can be sent to sign in once more: after a 403 `insufficient_scope` it
 * asks for the scope, and our consent page connects the account. Many clients only refresh their token instead. A
 * client that comes back without the scope is not sent again; it gets a link in another way.
 */
class StepUps {
  readonly #signIn: SignInModel | undefined
  readonly #asked = new Map<string, number>()

  constructor(signIn: SignInModel | undefined) {
    this.#signIn = signIn
  }

  /** All scopes to ask for; undefined when this client has to be told in another way. */
  scopesFor({ principal, clientId, claims, scopes }: AuthInfo, target: string): string[] | undefined {
    const scope = accountScope(target)
    const isOurs = this.#signIn !== undefined && claims.iss === this.#signIn.ownIssuer
    // An assertion is redeemed without a person at a page (`gty`), so no person can be sent to one.
    if (!isOurs || claims.gty !== undefined || scopes.includes(scope)) return undefined
    const key = JSON.stringify([principalKey(principal), clientId, target])
    if ((this.#asked.get(key) ?? 0) > Date.now() - ASK_AGAIN) return undefined
    this.#asked.delete(key)
    this.#asked.set(key, Date.now())
    if (this.#asked.size > MOST_ASKED) this.#asked.delete(this.#asked.keys().next().value!)
    return [...scopes, scope]
  }
}
