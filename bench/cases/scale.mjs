import { join } from 'node:path'
import { createHttpLoad, overHttp, program, rates, RATE } from '../lib/contestants.mjs'
import { busyMicroseconds, cpuMicroseconds, residentMegabytes } from '../lib/cpu.mjs'
import { before, gantry, stdioTarget } from '../lib/gateways.mjs'
import { startReplicas } from '../lib/replicas.mjs'
import { startWorker } from '../lib/worker.mjs'
import { openTarget, probeUntilRight } from '../load/http-request.mjs'
import { echoCall } from '../load/messages.mjs'

const modern = { era: 'modern', ...echoCall('modern') }
const WORKERS = 2
const CONNECTIONS = 64
const REPLICAS = 3
const SESSIONS = 20_000
const LISTENERS = 2_000

const withWorkers = (workers) =>
  before((port) =>
    gantry({ echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } }, { server: { workers } }),
  )

/** `count` gateways that know nothing of each other share the connections. */
function separate(count, workers) {
  const connections = CONNECTIONS / count
  const contestant = overHttp('', withWorkers(workers), { ...modern, connections })
  return async (options) => {
    const all = []
    const close = () => Promise.all(all.map((session) => session.close()))
    try {
      while (all.length < count) all.push(await contestant.open(options))
    } catch (error) {
      await close()
      throw error
    }
    const sample = async (ms) => {
      const found = await Promise.all(all.map((session) => session.sample(ms)))
      const rate = found.reduce((sum, each) => sum + each.rate, 0)
      return { rate, cpu: found.reduce((sum, each) => sum + each.cpu * each.rate, 0) / rate }
    }
    return { sample, close }
  }
}

/**
 * How much of the machine goes to everything else: the load and the server behind the gateways run on the same
 * processors. `free` is the rate if they cost nothing.
 */
function besideOthers(name, gateways, workers) {
  return {
    name,
    async open(options) {
      const session = await separate(gateways, workers)(options)
      const sample = async (ms) => {
        const before = busyMicroseconds()
        const found = await session.sample(ms)
        const calls = (found.rate * ms) / 1000
        const others = (busyMicroseconds() - before) / calls - found.cpu
        return { ...found, others, free: (gateways * workers * 1e6) / found.cpu }
      }
      return { ...session, sample }
    },
  }
}

/** Two gateways act as one. The first has the program, or began the session; one of them is asked. */
function hop(name, at, era) {
  const load = { era, ...echoCall(era) }
  return {
    name,
    async open(options) {
      const replicas = await startReplicas(2, { echo: stdioTarget(program('bare-stdio.mjs')) })
      try {
        const [first] = replicas.all
        const began = await openTarget({ port: first.port, path: '/mcp', era })
        await probeUntilRight(began, load.message, load.expect)
        const target = { ...began, port: replicas.all[at].port }
        const size = await probeUntilRight(target, load.message, load.expect)
        const source = await createHttpLoad({ target, ...load, connections: 1, timed: true, size }, options)
        const cpu = () => replicas.all.reduce((sum, { pid }) => sum + cpuMicroseconds(pid, true), 0)
        const sample = async (ms) => {
          const before = cpu()
          const counted = await source.sample(ms)
          return rates({ ...counted, cpu: cpu() - before })
        }
        return { sample, close: () => Promise.all([source.close(), replicas.close()]) }
      } catch (error) {
        await replicas.close()
        throw error
      }
    },
  }
}

const LATENCY = {
  p50: { unit: 'ms p50', better: 'lower' },
  p99: { unit: 'ms p99', better: 'lower' },
  cpu: RATE.cpu,
}

const hopCase = (id, what, era) => ({
  id,
  title: `scale: ${what}, one connection`,
  metrics: LATENCY,
  goals: [{ metric: 'p50', minus: 'ours, no hop', atMost: 0.4 }],
  contestants: [hop('ours', 1, era), hop('ours, no hop', 0, era)],
})

/** Sessions that were used once, and streams that wait for changes, over all replicas. */
const many = {
  name: 'ours',
  async open({ short }) {
    const limits = { sessions: 2 * SESSIONS, subscriptions: 2 * SESSIONS }
    const replicas = await startReplicas(
      REPLICAS,
      { echo: stdioTarget(program('bare-stdio.mjs')) },
      { server: { limits } },
    )
    const memory = () => replicas.all.reduce((sum, { pid }) => sum + residentMegabytes(pid), 0)
    const load = await startWorker(join(import.meta.dirname, '../load/hold-load.mjs'), {
      ports: replicas.all.map(({ port }) => port),
    })
    const [sessions, listeners] = short ? [200, 20] : [SESSIONS, LISTENERS]
    const sample = async () => {
      const idle = memory()
      await load.tell({ sessions, listeners })
      return { idle, memory: memory() }
    }
    return { sample, close: () => Promise.all([load.close(), replicas.close()]) }
  },
}

/** Several processes and several gateways, against one. */
export const scaleCases = [
  {
    id: 'scale-workers',
    title: `scale: ${WORKERS} workers against one process, modern HTTP in and out, ${CONNECTIONS} connections`,
    metrics: {
      ...RATE,
      others: { unit: 'µs CPU/call of load and server', better: 'lower' },
      free: { unit: 'calls/s if those cost nothing', better: 'higher' },
    },
    goals: [
      { metric: 'free', over: 'ours, one process', atLeast: 1.6 },
      { metric: 'cpu', over: 'ours, one process', atMost: 1.1 },
      // What the workers themselves cost: the same processes, without anything between them.
      { metric: 'cpu', over: 'bare limit, two gateways', atMost: 1.1 },
    ],
    contestants: [
      besideOthers('ours', 1, WORKERS),
      besideOthers('ours, one process', 1, 1),
      besideOthers('bare limit, two gateways', WORKERS, 1),
    ],
  },
  hopCase('scale-hop-program', 'a program that another gateway has', 'modern'),
  hopCase('scale-hop-session', 'a legacy session that another gateway has', 'legacy'),
  {
    id: 'scale-memory',
    title: `scale: ${SESSIONS} legacy sessions and ${LISTENERS} listeners over ${REPLICAS} replicas`,
    metrics: {
      memory: { unit: 'MB in all', better: 'lower' },
      idle: { unit: 'MB before', better: 'lower' },
    },
    goals: [{ metric: 'memory', atMost: 1500 }],
    warm: false,
    once: true,
    contestants: [many],
  },
]
