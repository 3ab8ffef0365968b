import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describePrincipal, isJsonObject, jsonReader, type JsonObject } from '@gantry/mcp/exchange'
import { drainUnreadBody } from '@gantry/mcp/server/node'
import type { Approval } from '../../chain/approval/approval.ts'
import type { Approver } from '../../chain/approval/approvers.ts'
import type { Gateway } from '../../gateway.ts'
import { decodePercent } from '../../model/index.ts'
import { CALLER_FORMS, readCaller } from '../../rules/read-caller.ts'
import { ApiError } from '../api-error.ts'
import { isAtLeast } from '../contract.ts'
import { roleOf } from '../http/roles.ts'
import { toApiError } from '../local-api.ts'
import { notDecided, presentApproval } from './approval-handlers.ts'
import { isSigned, sign } from './webhook-signature.ts'

const PATH = '/approvals/'
const MAX_BYTES = 64 * 1024
const TIMEOUT = 10_000
/** Milliseconds before each try. */
const TRIES = [0, 1_000, 5_000]
const MAX_REASON = 1000
const readJson = jsonReader('rounded')

/** Tells a service of calls that wait for approval, and takes its decisions. Both directions are signed. */
export class ApprovalWebhook {
  readonly #gateway: Gateway

  constructor(gateway: Gateway) {
    this.#gateway = gateway
    gateway.approvals.onAsked = (approval) => void this.#tell(approval)
  }

  async #tell(approval: Approval): Promise<void> {
    const { model, approvals, scrubber, log } = this.#gateway
    const { webhook } = model.policy
    if (!webhook) return
    const report = presentApproval(approval, OUTSIDER)
    const decideAt = `${approvals.address}${PATH}${approval.id}`
    const body = scrubber.toJson({ type: 'approval.requested', approval: report, decideAt })
    let problem: unknown
    for (const delay of TRIES) {
      await sleep(delay, undefined, { ref: false })
      problem = await send(webhook.url, body, webhook.secret.reveal())
      if (problem === undefined) return
    }
    log('warn', 'The webhook for approvals does not take a call that waits', {
      approval: approval.id,
      detail: String(problem),
      event: 'webhook-failed',
    })
  }

  /** Answers `POST /approvals/ID`; false leaves it to others. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
    if (!path.startsWith(PATH) || !this.#gateway.model.policy.webhook) return false
    this.#decide(request, decodePercent(path.slice(PATH.length)))
      .then((state) => answer(response, 200, { state }))
      .catch((thrown) => {
        const { status, problem } = toApiError(thrown)
        drainUnreadBody(request, response)
        answer(response, status, { error: problem })
      })
      .catch(() => response.destroy())
    return true
  }

  async #decide(request: IncomingMessage, id: string): Promise<Approval['state']> {
    if (request.method !== 'POST') throw new ApiError('method_not_allowed', 'Only POST can be used here')
    const { webhook } = this.#gateway.model.policy
    const body = await readText(request)
    const header = (name: string): string => String(request.headers[name] ?? '')
    const signed = {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
    }
    if (!webhook || !isSigned(body, webhook.secret.reveal(), signed)) {
      throw new ApiError('unauthorized', 'The signature is not right, or the message is too old')
    }
    const { approved, reason, approver } = this.#read(body, id)
    const decided = await this.#gateway.approvals.decide(id, { approved, reason }, approver)
    if (typeof decided === 'string') throw notDecided(decided)
    return decided.state
  }

  #read(body: string, id: string): { approved: boolean; reason: string | undefined; approver: Approver } {
    const message = parse(body)
    const { type, approved, reason, as, issuer, claims } = message
    // Messages of the gateway itself are signed with the same secret, and are not decisions.
    if (type !== 'approval.decided' || message.id !== id || typeof approved !== 'boolean') {
      throw new ApiError('bad_request', 'This is not a decision about this call', {
        fix: 'Send {"type": "approval.decided", "id": "…", "approved": true, "as": "person:…"}.',
      })
    }
    const read = readCaller(
      {
        as: typeof as === 'string' ? as : '',
        issuer: typeof issuer === 'string' ? issuer : undefined,
        claims: isJsonObject(claims) ? claims : {},
      },
      this.#gateway.model.auth,
    )
    if (!read.ok || !read.subject) {
      throw new ApiError('bad_request', 'The decision does not say whose it is', {
        fix: `Write ${CALLER_FORMS} into "as".`,
      })
    }
    const { subject } = read
    const approver = {
      name: `${describePrincipal(subject.principal)} by webhook`,
      subject,
      isOperator: isAtLeast(roleOf(subject, this.#gateway.model.auth.roles), 'operator'),
    }
    return {
      approved,
      reason: typeof reason === 'string' ? reason.slice(0, MAX_REASON) : undefined,
      approver,
    }
  }
}

/** The service sees every call, and decides for others only. */
const OUTSIDER: Approver = { name: 'webhook', subject: undefined, isOperator: false }

async function send(url: string, body: string, secret: string): Promise<unknown> {
  const { id, timestamp, signature } = sign(body, secret, `msg_${randomUUID()}`)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    })
    await response.body?.cancel()
    return response.ok ? undefined : `It answers with HTTP ${response.status}`
  } catch (error) {
    return error
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw new ApiError('too_large', `The body is larger than ${MAX_BYTES / 1024} KB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(body: string): JsonObject {
  try {
    const value = readJson(body)
    if (isJsonObject(value)) return value
  } catch {
    // The error is thrown below.
  }
  throw new ApiError('bad_request', 'The body is not a JSON object')
}

function answer(response: ServerResponse, status: number, value: object): void {
  if (response.destroyed) return
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, headers).end(`${JSON.stringify(value)}\n`)
}
