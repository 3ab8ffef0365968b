import { describe, expect, it } from 'vitest'
import { PlainExchange } from '../plain-exchange.ts'
import { SubscriptionMeter } from './subscription-meter.ts'

class Session {
  reads = 0
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  get id(): string {
    this.reads++
    return this.#name
  }
}

const listenerOf = (session: Session): PlainExchange =>
  new PlainExchange({
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true } },
    client: { capabilities: {}, version: '2025-11-25' },
    session,
  })

describe('SubscriptionMeter', () => {
  it('asks for no name of a session while it is the only one that listens', () => {
    const meter = new SubscriptionMeter()
    const session = new Session('a')
    meter.open(listenerOf(session))()
    meter.open(listenerOf(session))
    expect([meter.held, session.reads]).toEqual([1, 0])
  })

  it('counts the first listener as its caller’s when others come', () => {
    const meter = new SubscriptionMeter({ perCaller: 2, total: 4 })
    const [a, b] = [new Session('a'), new Session('b')]
    const closeFirst = meter.open(listenerOf(a))
    meter.open(listenerOf(b))
    meter.open(listenerOf(a))
    expect(() => meter.open(listenerOf(a))).toThrow('This client listens for too much')
    closeFirst()
    meter.open(listenerOf(a))
    expect(() => meter.open(listenerOf(a))).toThrow('This client listens for too much')
    meter.open(listenerOf(b))
    expect(meter.held).toBe(4)
    expect(() => meter.open(listenerOf(new Session('c')))).toThrow('Clients listen for too much')
  })

  it('refuses the first listener as well when there is no room for it', () => {
    const meter = new SubscriptionMeter({ perCaller: 0 })
    expect(() => meter.open(listenerOf(new Session('a')))).toThrow('This client listens for too much')
    expect(meter.held).toBe(0)
  })
})
