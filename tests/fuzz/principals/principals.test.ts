import { afterAll, expect, it } from 'vitest'
import { tolerateObjections } from '../../../packages/mcp/src/testing/fixtures/objections.test.support.ts'
import { Random } from '../random.ts'
import { randomOperation } from './operations.ts'
import { createWorld, PLANTED, type World } from './world.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20260728)
const OPERATIONS = Number(process.env.GANTRY_FUZZ_OPERATIONS ?? 4_000)
/** Turns that run at the same time: what leaks mostly leaks between calls that overlap. */
const AT_ONCE = 24
/** Operations after which the owners look after what they left for the other to find. */
const AN_ACT = 2_000

const unhandled: unknown[] = []
const onUnhandled = (error: unknown): void => void unhandled.push(error)
process.on('unhandledRejection', onUnhandled)
process.on('uncaughtException', onUnhandled)

let world: World | undefined
afterAll(async () => {
  await world?.close()
  process.off('unhandledRejection', onUnhandled)
  process.off('uncaughtException', onUnhandled)
})

// Odd spellings of URIs pass as they are where no rule keeps a resource back.
tolerateObjections(/\/params\/uri: must match format "uri"/)

it(
  `nothing of one caller reaches the other in ${OPERATIONS} random operations (seed ${SEED})`,
  async () => {
    world = await createWorld()
    const [ann, ben] = world.people
    for (const [me, other] of [
      [ann, ben],
      [ben, ann],
    ] as const) {
      me.forbidden = [other.mark, PLANTED]
      me.secretNames = [
        ...other.vaults,
        other.view,
        `peek_${other.page}`,
        `summary_of_${other.page}`,
        `open_${other.page}`,
        `diary://${other.page}`,
      ]
    }
    const random = new Random(SEED)
    for (let done = 0; done < OPERATIONS; done += AN_ACT) {
      await Promise.all([ann.bait.layOut(), ben.bait.layOut()])
      let left = Math.min(AN_ACT, OPERATIONS - done)
      const worker = async (): Promise<void> => {
        while (left-- > 0) {
          const [me, other] = random.chance(0.5) ? [ann, ben] : [ben, ann]
          await randomOperation(random)({ me, other, random })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      await Promise.all([ann.bait.verify(), ben.bait.verify()])
    }
    console.log(describe(world))
    expect(Object.fromEntries([...ann.leaks, ...ben.leaks])).toEqual({})
    expect(unhandled).toEqual([])
    // A run that was mostly refused would prove nothing.
    for (const { statuses, requests } of [ann, ben]) expect(statuses.get(200)).toBeGreaterThan(requests / 10)
    for (const { holdings } of [ann, ben]) {
      const { tasks, states, sessions, events, questions, addresses, results } = holdings
      for (const found of [tasks, states, sessions, events, questions, addresses, results])
        expect(found).not.toEqual([])
    }
  },
  Math.max(60_000, OPERATIONS * 20),
)

function describe({ people }: World): string {
  return people
    .map(({ name, requests, statuses }) => {
      const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
      return `${name}: ${requests} requests (${counts.join(', ')})`
    })
    .join('; ')
}
