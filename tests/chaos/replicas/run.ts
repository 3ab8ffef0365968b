import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, http } from '@gantry/mcp/client'
import { randomFrom } from '../processes.mjs'
import { Caller } from './caller.ts'
import { Report } from './report.ts'
import { ChaosWorld, TARGETS } from './world.ts'

export interface ReplicaChaosOptions {
  readonly rounds: number
  readonly replicas: number
  readonly seed: number
  /** Stops after this many milliseconds, whatever is left. */
  readonly within?: number
  /** Only faults whose names contain this. */
  readonly only?: string
  readonly log: (line: string) => void
  /** A file that gets a line for everything that happens. */
  readonly journal?: string
}

/** Looks for what it will strike; what it returns strikes, and resolves when the next round may begin. */
type Fault = (world: ChaosWorld, random: () => number) => Promise<() => Promise<unknown>>

/** Longer than anything that a fault takes. */
const FOUND_WITHIN = 90_000

const PROGRAMS = TARGETS.filter((target) => target.endsWith('program'))

const FAULTS: Record<string, Fault> = {
  'replica killed': async (world, random) => endReplica(world, pickReplica(world, random), 'SIGKILL'),
  'replica told to stop': async (world, random) => endReplica(world, pickReplica(world, random), 'SIGTERM'),
  'owner killed': async (world, random) =>
    endReplica(world, (await placeOf(world, pick(PROGRAMS, random))).owner, 'SIGKILL'),
  'program killed': async (world, random) => {
    const { pid } = await placeOf(world, pick(PROGRAMS, random))
    return async () => process.kill(pid, 'SIGKILL')
  },
  'server killed': async (world, random) => {
    const at = Math.floor(random() * 2)
    return () => world.restartServer(at)
  },
  'redis killed': async (world, random) => {
    await world.redis.settled()
    return () => world.redis.failOver(500 + random() * 3_000)
  },
  'connections dropped': async (world, random) => async () => {
    for (const proxy of world.proxies) if (random() < 0.5) proxy.drop()
  },
  'connections slow': async (world, random) => async () => {
    const slow = world.proxies.filter(() => random() < 0.5)
    for (const proxy of slow) proxy.delay = 50 + random() * 250
    await sleep(400)
    for (const proxy of slow) proxy.delay = 0
  },
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!
}

function pickReplica({ replicas }: ChaosWorld, random: () => number): number {
  return Math.floor(random() * replicas.all.length)
}

function endReplica({ replicas }: ChaosWorld, at: number, signal: NodeJS.Signals): () => Promise<unknown> {
  return async () => {
    const { child } = replicas.all[at]!
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
    await replicas.start(at)
  }
}

/** The process of a program, and the gateway that has it. A call of ours may fail as well: it is made again. */
async function placeOf(world: ChaosWorld, target: string): Promise<{ pid: number; owner: number }> {
  const until = Date.now() + FOUND_WITHIN
  for (;;) {
    try {
      const client = await connect(http(`${world.balancer.url}/mcp/${target}`), { era: 'modern' })
      const said = await client.call('where').finally(() => void client.close().catch(() => {}))
      const [pid, parent] = said.text().split(' ').map(Number)
      const owner = world.replicas.all.findIndex(({ child }) => child.pid === parent)
      if (pid && owner >= 0) return { pid, owner }
      throw new Error(`Nobody has the program of ${target}: process ${pid} of ${parent}`)
    } catch (error) {
      if (Date.now() > until) throw error
      await sleep(200)
    }
  }
}

/** What each gateway says of its store. */
async function storesOf({ replicas }: ChaosWorld): Promise<string> {
  const ask = async ({ url }: { url: string }): Promise<string> => {
    const answer = await fetch(`${url}/ready?verbose`, { signal: AbortSignal.timeout(1_000) })
    return JSON.stringify(((await answer.json()) as { store?: object }).store)
  }
  const said = await Promise.all(replicas.all.map((one) => ask(one).catch(String)))
  return said.join(', ')
}

/** Breaks gateways that act as one, round by round, while clients of both eras call servers of both. */
export async function runReplicaChaos(options: ReplicaChaosOptions): Promise<Report> {
  const { rounds, replicas, seed, within = Number.POSITIVE_INFINITY, only = '', log } = options
  const journal = options.journal === undefined ? undefined : createWriteStream(options.journal)
  const report = new Report((event) => journal?.write(`${JSON.stringify({ at: Date.now(), ...event })}\n`))
  const random = randomFrom(seed)
  const world = await ChaosWorld.start(replicas)
  const callers = (['legacy', 'modern'] as const).flatMap((era) =>
    TARGETS.map((target) => new Caller(world.balancer.url, target, era, report, random)),
  )
  const running = callers.map((caller) => caller.run())
  const until = Date.now() + within
  const kinds = Object.keys(FAULTS).filter((kind) => kind.includes(only))
  try {
    await Promise.all(callers.map((caller) => caller.recovered(Date.now())))
    for (let round = 1; round <= rounds && Date.now() < until; round++) {
      const kind = kinds[round % kinds.length]!
      const strike = await FAULTS[kind]!(world, random).catch((error) => {
        report.stuck.push(`${kind}, round ${round}: ${error}`)
      })
      if (!strike) break
      report.struck(`${kind}, round ${round}`)
      for (const caller of callers) caller.watch()
      await strike()
      report.struck(`${kind} is over`)
      const mended = Date.now()
      const times = await Promise.all(
        callers.map(async (caller) => ({ caller: caller.name, after: await caller.recovered(mended) })),
      )
      for (const { caller, after } of times) {
        if (after === undefined) {
          report.stuck.push(`${caller} after ${kind}, round ${round}`)
          log(`${caller} is stuck. The gateways say of their store: ${await storesOf(world)}`)
        } else report.recovered({ fault: kind, milliseconds: after }, caller)
      }
      report.rounds = round
      const slowest = times.reduce((one, other) => ((other.after ?? 1e9) > (one.after ?? 1e9) ? other : one))
      if (slowest.after === undefined || slowest.after > 3_000 || round % 25 === 0) {
        log(
          `${round} (${kind}): slowest recovery ${slowest.after} ms (${slowest.caller}), ${report.calls} calls, ${report.lostAnswers.length} lost, ${report.wrongAnswers.length} wrong`,
        )
      }
    }
  } finally {
    for (const caller of callers) caller.stop()
    await Promise.all(running)
    report.counts = await world.counts()
    await world.close()
    journal?.end()
  }
  return report
}
