import { describe, expect, it } from 'vitest'
import { complete, failure, ProtocolError, type AuthInfo } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import type { AuditEvent, EventFacts } from '../../audit/audit-event.ts'
import type { AuditTrail, WaitingEvent } from '../../audit/index.ts'
import { answering, chainBench, runLink } from '../chain.test.support.ts'
import { auditLink, decisionLink } from './audit-link.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const mask = (value: unknown): string => JSON.stringify(value)

/** A trail in memory; `isFull` makes its records fail, as those on a full disk do. */
function trailOf({ required = false, isFull = false } = {}) {
  const events: EventFacts[] = []
  const waiting: WaitingEvent[] = []
  const keep = (event: AuditEvent | WaitingEvent): void => {
    events.push('facts' in event ? event.facts : event)
    if ('facts' in event) waiting.push(event)
  }
  const trail = {
    settings: { required, bodies: false },
    digest: (text: string) => `digest of ${text}`,
    add: keep,
    record: async (event: AuditEvent | WaitingEvent) => {
      if (isFull) throw new Error('no space left')
      keep(event)
    },
  } as unknown as AuditTrail
  return { trail, events, waiting }
}

const ann: AuthInfo = {
  principal: { kind: 'person', issuer: 'https://id.example', subject: 'ann' },
  scopes: ['a'],
  claims: {},
}

describe('the link of the audit trail', () => {
  it('is left out without a trail, and that of decisions where none is required', () => {
    expect(auditLink(undefined, mask)).toBeUndefined()
    expect(decisionLink(undefined, mask)).toBeUndefined()
    expect(decisionLink(trailOf().trail, mask)).toBeUndefined()
  })

  it('records how a request ended, with its arguments for their digest only', async () => {
    const { trail, events, waiting } = trailOf()
    const exchange = bench.exchange('tools/call', { name: 'x', arguments: { b: 1, a: 'private' } })
    await runLink(auditLink(trail, mask)!, exchange, answering().next)
    expect(events).toMatchObject([{ operation: 'tools/call', status: 'success', decision: 'allowed' }])
    // The thread that writes hashes them.
    expect(waiting[0]!.args).toBe('{"a":"private","b":1}')
    const { args: _, ...others } = waiting[0]!
    expect(JSON.stringify([events, others])).not.toContain('private')
  })

  it('records a request that threw, and lets that pass', async () => {
    const { trail, events } = trailOf()
    const thrown = new ProtocolError(-32602, 'Unknown tool: x')
    const run = runLink(auditLink(trail, mask)!, bench.exchange('tools/call'), () => Promise.reject(thrown))
    await expect(run).rejects.toBe(thrown)
    expect(events).toMatchObject([{ status: 'failure', code: -32602 }])
  })

  it('records the first request with a credential, and no other', async () => {
    const { trail, events } = trailOf()
    const link = auditLink(trail, mask)!
    for (const auth of [ann, ann, { ...ann }]) {
      await runLink(link, bench.exchange('tools/call', {}, { auth }), answering().next)
    }
    const signIns = events.filter(({ operation }) => operation === 'sign-in')
    expect(signIns).toMatchObject([{ actor: { principal: ann.principal }, more: { scopes: ['a'] } }])
    expect(events).toHaveLength(4)
  })
})

describe('where a record is required', () => {
  it('a call is recorded before it is made, and after', async () => {
    const { trail, events } = trailOf({ required: true })
    const exchange = bench.exchange('tools/call')
    let before = -1
    await auditLink(trail, mask)!(exchange, async () =>
      decisionLink(trail, mask)!(exchange, async () => {
        before = events.length
        return complete({})
      }),
    )
    expect(before).toBe(1)
    expect(events).toHaveLength(2)
  })

  it('a call is not made when it cannot be recorded', async () => {
    const { trail } = trailOf({ required: true, isFull: true })
    const next = answering()
    await expect(decisionLink(trail, mask)!(bench.exchange('tools/call'), next.next)).rejects.toMatchObject({
      data: { reason: 'audit', mayHaveHappened: false },
    })
    expect(next.calls).toBe(0)
  })

  it('a result is withheld when it cannot be recorded, and a refusal is not', async () => {
    const { trail } = trailOf({ required: true, isFull: true })
    const link = auditLink(trail, mask)!
    await expect(link(bench.exchange('tools/call'), answering().next)).rejects.toMatchObject({
      data: { reason: 'audit', mayHaveHappened: true },
    })
    const refusal = failure(new ProtocolError(-32602, 'Unknown tool: x'))
    expect(await link(bench.exchange('tools/call'), answering(refusal).next)).toBe(refusal)
  })
})
