import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from './index.ts'
import { startProcess, type StoreProcess } from './start-process.test.support.ts'
import type { Report } from './store-process.test.support.ts'

const JOBS = 2000

/** A place that processes find by an argument. */
export interface KillPlace {
  readonly argument: string
  open(): Promise<Store>
  clear(): Promise<void>
}

/** What every store that processes share promises, whenever they are killed. */
export function describeKills(
  name: string,
  createPlace: () => Promise<KillPlace>,
  { rounds = 6 }: { rounds?: number } = {},
): void {
  /** More of them: GANTRY_KILL_ROUNDS=100. */
  const ROUNDS = Number(process.env.GANTRY_KILL_ROUNDS ?? rounds)
  describe(name, () => {
    let place: KillPlace
    let store: Store
    const reports: Report[] = []
    /** Who reported what was taken, and which tokens. */
    const holders = new Map<number, Set<string>>()

    beforeAll(async () => {
      place = await createPlace()
      store = await place.open()
      const jobs = store.rows({ name: 'jobs' })
      await Promise.all(Array.from({ length: JOBS }, (_, index) => jobs.put(`job-${index}`, 'to do')))
    }, 660_000)

    afterAll(async () => {
      await store?.close()
      await place?.clear()
    })

    const of = <Did extends Report['did']>(did: Did): Extract<Report, { did: Did }>[] =>
      reports.filter((report): report is Extract<Report, { did: Did }> => report.did === did)

    async function workAndKill(name: string): Promise<void> {
      const worker: StoreProcess = startProcess([place.argument, 'work', name])
      await expect.poll(() => worker.reports.length, { interval: 5 }).toBeGreaterThan(20)
      // At any moment of its work.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
      await worker.kill()
      expect(worker.stderr()).toBe('')
      for (const report of worker.reports) {
        reports.push(report)
        if (report.did !== 'fenced') continue
        holders.set(report.token, (holders.get(report.token) ?? new Set()).add(name))
      }
    }

    it('loses nothing and does nothing twice while two processes work and are killed, over and over', async () => {
      const inRow = async (side: string): Promise<void> => {
        for (let round = 0; round < ROUNDS; round += 1) await workAndKill(`${side}${round}`)
      }
      await Promise.all([inRow('left'), inRow('right')])

      const written = new Set<string>()
      for (let after: string | undefined; ; ) {
        const page = await store.rows({ name: 'written' }).list(after === undefined ? {} : { after })
        for (const { key } of page) written.add(key)
        after = page.at(-1)?.key
        if (after === undefined) break
      }
      const acknowledged = of('put').map(({ key }) => key)
      expect(acknowledged.length).toBeGreaterThan(ROUNDS)
      expect(acknowledged.filter((key) => !written.has(key))).toEqual([])

      const taken = of('took').map(({ key }) => key)
      expect(new Set(taken).size).toBe(taken.length)
      const left = await store.rows({ name: 'jobs' }).list({ limit: JOBS })
      expect(left.filter(({ key }) => taken.includes(key))).toEqual([])

      expect(of('spent').length).toBeGreaterThan(0)
      expect(of('spent').length).toBeLessThanOrEqual(300)

      const fenced = of('fenced').sort((a, b) => a.version - b.version)
      expect(fenced.length).toBeGreaterThan(0)
      const tokens = fenced.map(({ token }) => token)
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
      expect([...holders.values()].every((names) => names.size === 1)).toBe(true)

      expect((await store.inspect()).problems).toEqual([])
      await store.rows({ name: 'written' }).put('after', 'all is well')
    }, 300_000)

    it('tells other processes within 50 ms, and does nothing while nobody listens', async () => {
      const listener = startProcess([place.argument, 'listen', 'l'])
      await expect.poll(() => listener.reports.filter(({ did }) => did === 'ready').length).toBe(2)
      const delays: number[] = []
      for (let index = 0; index < 15; index += 1) {
        await store.publish('news', String(Date.now()))
        const heard = () => listener.reports.filter((report) => report.did === 'heard')
        await expect.poll(() => heard().length, { interval: 5 }).toBe(index + 1)
        delays.push(heard().at(-1)!.after)
      }
      await listener.kill()
      // Machines that test are busy: the typical message counts.
      expect(delays.sort((a, b) => a - b)[7]).toBeLessThan(50)
    })
  })
}
