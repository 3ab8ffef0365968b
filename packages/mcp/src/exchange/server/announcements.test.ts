import { describe, expect, it } from 'vitest'
import { Announcements } from './announcements.ts'

function reader() {
  const said: string[] = []
  const host = {
    congested: false,
    send: (text: string) => void said.push(text),
    isCongested: () => host.congested,
  }
  return { said, host, announcements: new Announcements(host) }
}

describe('announcements for a reader that is far behind', () => {
  it('wait for it, each once, and are told in order', () => {
    const { said, host, announcements } = reader()
    announcements.say('a')
    host.congested = true
    for (const text of ['b', 'c', 'b', 'c', 'a']) announcements.say(text)
    expect(said).toEqual(['a'])
    host.congested = false
    announcements.release()
    announcements.release()
    expect(said).toEqual(['a', 'b', 'c', 'a'])
  })

  it('come before whatever is said once it has caught up', () => {
    const { said, host, announcements } = reader()
    host.congested = true
    announcements.say('a')
    host.congested = false
    announcements.say('b')
    expect(said).toEqual(['a', 'b'])
  })

  it('are bounded when all of them differ', () => {
    const { said, host, announcements } = reader()
    host.congested = true
    for (let i = 0; i < 30_000; i++) announcements.say(`${i}`)
    announcements.release()
    expect(said).toHaveLength(10_000)
    expect(said.at(-1)).toBe('29999')
  })

  it('are bounded when they are long', () => {
    const { said, host, announcements } = reader()
    host.congested = true
    for (let i = 0; i < 100; i++) announcements.say(`${i}`.padEnd(1_000_000))
    announcements.release()
    expect(said.map((text) => text.trim())).toEqual(['96', '97', '98', '99'])
    host.congested = true
    announcements.say('x'.repeat(5_000_000))
    announcements.release()
    expect(said).toHaveLength(4)
  })
})
