import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Rows, Store } from './store.ts'

/** A place for a store that can be opened more than once, as two gateways do. */
export interface StorePlace {
  open(options?: { maxBytes?: number }): Promise<Store>
  clear(): Promise<void>
}

const hasRoom = (written: Promise<unknown>): Promise<boolean> =>
  written.then(
    () => true,
    () => false,
  )

const expectCode = (promise: Promise<unknown>, code: string): Promise<void> =>
  expect(promise).rejects.toMatchObject({ name: 'StoreError', code })

/** What every driver promises. A new driver is right when it passes. */
export function describeStore(name: string, createPlace: () => Promise<StorePlace>): void {
  describe(name, () => {
    let place: StorePlace
    let store: Store
    let rows: Rows

    beforeEach(async () => {
      place = await createPlace()
      store = await place.open()
      rows = store.rows({ name: 'things' })
    })

    afterEach(async () => {
      expect((await store.inspect()).problems).toEqual([])
      await store.close()
      await place.clear()
    })

    describe('rows', () => {
      it('are read as they were written', async () => {
        for (const value of ['', 'plain', 'ünïcødé 🦊', '{"a":1}', 'x'.repeat(300_000)]) {
          const version = await rows.put('a', value)
          expect(await rows.get('a')).toEqual({ key: 'a', value, version, expires: undefined })
        }
        expect(await rows.get('b')).toBeUndefined()
      })

      it('have keys of any characters, and keep them apart', async () => {
        const keys = ['a', 'a ', ' a', 'a b', 'a\0b', 'a\nb', '__proto__', '🦊', 'a/b', '!meta']
        for (const key of keys) await rows.put(key, `value of ${key}`)
        for (const key of keys) expect((await rows.get(key))?.value).toBe(`value of ${key}`)
        expect((await rows.list()).map(({ key }) => key).sort()).toEqual([...keys].sort())
        for (const key of keys) expect(await rows.remove(key)).toBe(true)
        expect(await rows.list()).toEqual([])
      })

      it('belong to one purpose', async () => {
        const others = store.rows({ name: 'others' })
        await rows.put('a', '1')
        await others.put('a', '2')
        expect((await rows.get('a'))?.value).toBe('1')
        expect(await others.remove('a')).toBe(true)
        expect((await rows.list()).length).toBe(1)
        expect(() => store.rows({ name: '!meta' })).toThrow(TypeError)
      })

      it('expire', async () => {
        await rows.put('short', '1', { ttl: 40 })
        await rows.put('long', '2', { ttl: 60_000 })
        expect((await rows.get('long'))?.expires).toBeGreaterThan(Date.now())
        await expect.poll(() => rows.get('short')).toBeUndefined()
        expect((await rows.list()).map(({ key }) => key)).toEqual(['long'])
        expect(await rows.take('short')).toBeUndefined()
        expect(await rows.remove('short')).toBe(false)
      })

      it('lose their end when they are written without one, and get a new one', async () => {
        await rows.put('a', '1', { ttl: 30 })
        await rows.put('a', '2')
        await rows.put('b', '1', { ttl: 30 })
        await rows.put('b', '2', { ttl: 60_000 })
        await delay(50)
        expect((await rows.get('a'))?.value).toBe('2')
        expect((await rows.get('b'))?.value).toBe('2')
      })

      it('are swapped only by the one who knows the version', async () => {
        const first = await rows.swap('a', undefined, '1')
        expect(first).toBeTypeOf('number')
        expect(await rows.swap('a', undefined, 'x')).toBeUndefined()
        const second = await rows.swap('a', first, '2')
        expect(second).toBeGreaterThan(first!)
        expect(await rows.swap('a', first, 'x')).toBeUndefined()
        await rows.remove('a')
        expect(await rows.swap('a', second, 'x')).toBeUndefined()
        expect(await rows.swap('a', undefined, '3')).toBeGreaterThan(second!)
      })

      it('that have expired can be made anew by a swap', async () => {
        const version = await rows.put('a', '1', { ttl: 20 })
        await expect.poll(() => rows.get('a')).toBeUndefined()
        expect(await rows.swap('a', version, 'x')).toBeUndefined()
        expect(await rows.swap('a', undefined, '2')).toBeGreaterThan(version)
      })

      it('count up without a loss when many swap at once', async () => {
        const add = async (): Promise<void> => {
          for (;;) {
            const row = await rows.get('n')
            if ((await rows.swap('n', row?.version, String(Number(row?.value ?? 0) + 1))) !== undefined)
              return
          }
        }
        await Promise.all(Array.from({ length: 20 }, add))
        expect((await rows.get('n'))?.value).toBe('20')
      })

      it('are taken once', async () => {
        for (let index = 0; index < 50; index += 1) await rows.put(`k${index}`, String(index))
        const other = await place.open()
        const again = other.rows({ name: 'things' })
        const tries = Array.from({ length: 200 }, (_, index) =>
          (index % 2 ? rows : again).take(`k${index % 50}`),
        )
        const taken = (await Promise.all(tries)).filter((row) => row !== undefined)
        expect(taken.map(({ key }) => key).sort()).toEqual([...new Set(taken.map(({ key }) => key))].sort())
        expect(taken.length).toBe(50)
        await other.close()
      })

      it('are listed in pages', async () => {
        for (let index = 0; index < 25; index += 1) await rows.put(`k${String(index).padStart(2, '0')}`, 'v')
        await rows.put('a', 'v')
        await rows.put('z', 'v')
        const keys: string[] = []
        for (let after: string | undefined; ; after = keys.at(-1)) {
          const page = await rows.list({ prefix: 'k', limit: 10, ...(after !== undefined && { after }) })
          if (page.length === 0) break
          keys.push(...page.map(({ key }) => key))
        }
        expect(keys.length).toBe(25)
        expect(keys).toEqual([...keys].sort())
      })
    })

    describe('limits', () => {
      it('refuse a value, a key and a message that is too large', async () => {
        const small = store.rows({ name: 'small', maxValueBytes: 10 })
        await small.put('a', '0123456789')
        await expectCode(small.put('a', '01234567890'), 'too_large')
        await expectCode(small.put('a', '€€€€'), 'too_large')
        expect((await small.get('a'))?.value).toBe('0123456789')
        await expectCode(rows.put('k'.repeat(1025), 'v'), 'too_large')
        await expect(rows.put('', 'v')).rejects.toThrow(TypeError)
        await expect(rows.put('\ud800', 'v')).rejects.toThrow(TypeError)
        await expectCode(store.publish('c', 'x'.repeat(70_000)), 'too_large')
      })

      it('hold the number of rows', async () => {
        const few = store.rows({ name: 'few', maxRows: 3 })
        await Promise.all(['a', 'b', 'c'].map((key) => few.put(key, '1')))
        const attempts = await Promise.allSettled(['d', 'e', 'f'].map((key) => few.put(key, '1')))
        expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
        await expectCode(few.put('d', '1'), 'full')
        await few.put('a', '2')
        await few.remove('b')
        await few.put('d', '1')
        expect((await few.list()).map(({ key }) => key)).toEqual(['a', 'c', 'd'])
        // Other purposes have their own number.
        await rows.put('a', '1')
      })

      it('take what has expired for free', async () => {
        const few = store.rows({ name: 'few', maxRows: 2 })
        await few.put('a', '1', { ttl: 20 })
        await few.put('b', '1', { ttl: 20 })
        await expect.poll(() => few.list()).toEqual([])
        await few.put('c', '1')
        await few.put('a', '2')
        await expectCode(few.put('d', '1'), 'full')
      })

      it('hold the size of everything', async () => {
        await store.close()
        store = await place.open({ maxBytes: 100_000 })
        const large = store.rows({ name: 'large' })
        const written: string[] = []
        let refused: unknown
        for (let index = 0; refused === undefined; index += 1) {
          await large.put(`k${index}`, 'x'.repeat(10_000)).then(
            () => written.push(`k${index}`),
            (error) => (refused = error),
          )
        }
        expect(refused).toMatchObject({ code: 'full', message: expect.stringContaining('100000') })
        expect(written.length).toBe(9)
        expect((await large.list()).map(({ key }) => key)).toEqual(written)
        await large.put('k0', 'small')
        await large.put('new', 'x'.repeat(9_000))
        const { bytes } = await store.inspect()
        expect(bytes).toBeLessThanOrEqual(100_000)
      })
    })

    describe('counters', () => {
      it('grant what is in the bucket, and say when there is more', async () => {
        // So slow that nothing comes back while a busy machine runs this.
        const bucket = { capacity: 3, perSecond: 0.01 }
        for (const left of [2, 1, 0]) {
          const spent = await store.spend({ c: bucket })
          expect(spent).toMatchObject({ granted: true, retryAfter: 0 })
          expect(Math.floor(spent.left)).toBeGreaterThanOrEqual(left)
        }
        const refused = await store.spend({ c: { ...bucket, cost: 3 } })
        expect(refused.granted).toBe(false)
        expect(refused.retryAfter).toBeGreaterThan(0)
        expect(refused.retryAfter).toBeLessThanOrEqual(300_000)
        const fast = { ...bucket, perSecond: 20, cost: 3 }
        await expect.poll(() => store.spend({ c: fast })).toMatchObject({ granted: true })
        expect(await store.spend({ c: { ...bucket, cost: 4 } })).toMatchObject({ retryAfter: Infinity })
      })

      it('never grant more than there is, however many ask', async () => {
        const other = await place.open()
        const bucket = { capacity: 25, perSecond: 0.001 }
        const asked = Array.from({ length: 100 }, (_, n) => (n % 2 ? store : other).spend({ c: bucket }))
        const granted = (await Promise.all(asked)).filter((spent) => spent.granted)
        expect(granted.length).toBe(25)
        await other.close()
      })

      it('are taken from together, or not at all', async () => {
        const large = { capacity: 5, perSecond: 0.001 }
        const small = { capacity: 1, perSecond: 0.001 }
        expect(await store.spend({ large, small })).toMatchObject({ granted: true, scarcest: 'small' })
        expect(await store.spend({ large, small })).toMatchObject({ granted: false, scarcest: 'small' })
        expect((await store.spend({ large: { ...large, cost: 4 } })).granted).toBe(true)
      })

      it('are not taken from when the store has no room for one of them', async () => {
        await store.close()
        store = await place.open({ maxBytes: 10_000 })
        const bucket = { capacity: 5, perSecond: 0.001 }
        expect((await store.spend({ known: bucket })).granted).toBe(true)
        const rows = store.rows({ name: 'large' })
        for (const size of [1_000, 100, 10, 1]) {
          for (let index = 0; await hasRoom(rows.put(`${size}-${index}`, 'x'.repeat(size))); index++);
        }
        await expectCode(store.spend({ known: bucket, ['unknown'.repeat(50)]: bucket }), 'full')
        expect((await store.spend({ known: { ...bucket, cost: 4 } })).granted).toBe(true)
      })

      it('can be full again at a time', async () => {
        const fullAt = Date.now() + 300
        const quota = { capacity: 1, perSecond: 0, fullAt }
        expect((await store.spend({ quota })).granted).toBe(true)
        expect((await store.spend({ quota })).retryAfter).toBeLessThanOrEqual(300)
        await expect.poll(() => store.spend({ quota })).toMatchObject({ granted: true })
      })

      it('of different names do not know each other', async () => {
        const bucket = { capacity: 1, perSecond: 0.001 }
        expect((await store.spend({ a: bucket })).granted).toBe(true)
        expect((await store.spend({ b: bucket })).granted).toBe(true)
        expect((await store.spend({ a: bucket })).granted).toBe(false)
      })
    })

    describe('leases', () => {
      it('have one holder', async () => {
        const other = await place.open()
        const tries = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).acquire('l', 60_000))
        const held = (await Promise.all(tries)).filter((lease) => lease !== undefined)
        expect(held.length).toBe(1)
        expect(await other.holds(held[0]!)).toBe(true)
        expect(await store.release(held[0]!)).toBe(true)
        expect(await store.release(held[0]!)).toBe(false)
        const next = await other.acquire('l', 60_000)
        expect(next!.token).toBeGreaterThan(held[0]!.token)
        expect(await store.holds(held[0]!)).toBe(false)
        await other.close()
      })

      it('go to the next holder when they end, and the token of the first is worth nothing then', async () => {
        const first = (await store.acquire('l', 30))!
        await expect.poll(() => store.acquire('l', 60_000)).toBeDefined()
        expect(await store.holds(first)).toBe(false)
        expect(await store.renew(first, 60_000)).toBeUndefined()
        expect(await store.release(first)).toBe(false)
        await expectCode(rows.put('a', 'late', { lease: first }), 'lost_lease')
        expect(await rows.get('a')).toBeUndefined()
        expect(await store.acquire('l', 1)).toBeUndefined()
      })

      it('are renewed, and fence writes', async () => {
        const lease = (await store.acquire('l', 5000))!
        const renewed = (await store.renew(lease, 60_000))!
        expect(renewed.token).toBe(lease.token)
        expect(renewed.expires).toBeGreaterThan(lease.expires)
        await rows.put('a', '1', { lease })
        expect(await rows.swap('a', undefined, '2', { lease })).toBeUndefined()
        await store.release(lease)
        await expectCode(rows.put('a', '2', { lease: renewed }), 'lost_lease')
        expect((await rows.get('a'))?.value).toBe('1')
      })
    })

    describe('messages', () => {
      it('reach those who listen to the channel, in order, in the same and in another process', async () => {
        const other = await place.open()
        const heard: Record<string, string[]> = { own: [], foreign: [], elsewhere: [] }
        const into = (name: string) => ({
          message: (text: string) => void heard[name]!.push(text),
          missed: () => void heard[name]!.push('missed'),
        })
        await store.publish('c', 'before')
        const stops = [
          await store.subscribe('c', into('own')),
          await other.subscribe('c', into('foreign')),
          await other.subscribe('d', into('elsewhere')),
        ]
        for (let index = 0; index < 30; index += 1) await store.publish('c', `m${index}`)
        const all = Array.from({ length: 30 }, (_, index) => `m${index}`)
        await expect.poll(() => heard.own).toEqual(all)
        await expect.poll(() => heard.foreign).toEqual(all)
        expect(heard.elsewhere).toEqual([])
        for (const stop of stops) stop()
        await store.publish('c', 'after')
        const again = await store.subscribe('c', into('elsewhere'))
        await store.publish('c', 'last')
        await expect.poll(() => heard.elsewhere).toEqual(['last'])
        expect(heard.own).toEqual(all)
        again()
        await other.close()
      })

      it('are few: those who listen are told when they missed some', async () => {
        const heard: string[] = []
        let missed = 0
        const stop = await store.subscribe('c', {
          message: (text) => void heard.push(text),
          missed: () => {
            missed += 1
          },
        })
        await Promise.all(Array.from({ length: 2500 }, (_, n) => store.publish('c', String(n))))
        await expect.poll(() => heard.at(-1)).toBe('2499')
        expect(heard.length === 2500 || missed > 0).toBe(true)
        const { tables } = await store.inspect()
        expect(tables['!log']?.rows).toBeLessThanOrEqual(1000)
        stop()
      })
    })

    it('is shown to operators row by row, in order', async () => {
      await store.rows({ name: 'b' }).put('x', '1')
      await store.rows({ name: 'a' }).put('y', '2', { ttl: 60_000 })
      await store.rows({ name: 'a' }).put('z', '3')
      const [first, ...more] = await store.scan(undefined, 2)
      const rest = await store.scan(more[0], 10)
      const seen = [first!, ...more, ...rest]
      expect(seen.map(({ table, key }) => `${table} ${key}`)).toEqual(['a y', 'a z', 'b x'])
      expect(await Promise.all(seen.map((row) => store.reveal(row)))).toEqual(['2', '3', '1'])
      expect(await store.inspect()).toMatchObject({ format: 1, tables: { a: { rows: 2 }, b: { rows: 1 } } })
    })
  })
}
