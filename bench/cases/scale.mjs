import { join } from 'node:path'
import { createHttpLoad, program, rates, RATE, serve } from '../lib/contestants.mjs'
import { busyMicroseconds, cpuMicroseconds, residentMegabytes } from '../lib/cpu.mjs'
import { gantry, stdioTarget } from '../lib/gateways.mjs'
import { startHttpServer } from '../lib/http-server.mjs'
import { startReplicas } from '../lib/replicas.mjs'
import { startWorker } from '../lib/worker.mjs'
import { openTarget, probeUntilRight } from '../load/http-request.mjs'
import { echoCall } from '../load/messages.mjs'

const modern = { era: 'modern', ...echoCall('modern') }
const WORKERS = 2
/** As many as gateways, so that each can have one. */
const LOADS = 2
const CONNECTIONS = 64
const REPLICAS = 3
const SESSIONS = 20_000
const LISTENERS = 2_000

const ours = (workers) => (port) =>
  gantry({ echo: { url: `http://127.0.0.1:${port}/mcp`, prefix: false } }, { server: { workers } })
const proxy = (port) => serve('bare-proxy.mjs', String(port))

/**
 * `count` programs that know nothing of each other, in front of one server. Everything else is the same for all
 * contestants: as many loads and connections, on processors that all of them share. `processes` do the work. `others`
 * is how much of the machine goes to everything else, and `free` is the rate if that cost nothing.
 */
function inFront(name, startFront, count, processes) {
  return {
    name,
    async open(options) {
      const parts = []
      const opened = async (opening) => {
        const part = await opening
        parts.push(part)
        return part
      }
      const close = () => Promise.all(parts.map((part) => part.close()))
      try {
        const behind = await opened(startHttpServer({ args: [program('bare-http.mjs'), 'modern'] }))
        const [fronts, loads] = [[], []]
        while (fronts.length < count) fronts.push(await opened(startFront(behind.port)(options.nodeArgs)))
        while (loads.length < LOADS) loads.push(await opened(loadOn(fronts[loads.length % count], options)))
        return { sample: (ms) => sampleAll(fronts, loads, processes, ms), close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

async function loadOn({ port }, options) {
  const target = await openTarget({ port, path: '/mcp', era: 'modern' })
  const size = await probeUntilRight(target, modern.message, modern.expect)
  return createHttpLoad({ target, ...modern, connections: CONNECTIONS / LOADS, size }, options)
}

async function sampleAll(fronts, loads, processes, ms) {
  const used = () => fronts.reduce((sum, { pid }) => sum + cpuMicroseconds(pid), 0)
  const before = { own: used(), all: busyMicroseconds() }
  const found = await Promise.all(loads.map((load) => load.sample(ms)))
  const calls = found.reduce((sum, { count }) => sum + count, 0)
  const cpu = (used() - before.own) / calls
  return {
    rate: found.reduce((sum, { count, ms }) => sum + count / (ms / 1000), 0),
    cpu,
    others: (busyMicroseconds() - before.all) / calls - cpu,
    free: (processes * 1e6) / cpu,
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
    // Each process compiles its own code, for some seconds.
    longerWarm: 5,
    metrics: {
      ...RATE,
      others: { unit: 'µs CPU/call of load and server', better: 'lower' },
      free: { unit: 'calls/s if those cost nothing', better: 'higher' },
    },
    goals: [
      { metric: 'free', over: 'ours, one process', atLeast: 1.6 },
      { metric: 'cpu', over: 'ours, one process', atMost: 1.1 },
      // What the workers themselves cost: as many processes on the same machine, without anything between them.
      { metric: 'cpu', over: 'ours, two gateways', atMost: 1.1 },
    ],
    contestants: [
      // What the machine does to any program of which there are two: it has less of its caches for each.
      inFront('bare', proxy, 1, 1),
      inFront('bare, two', proxy, WORKERS, WORKERS),
      inFront('ours', ours(WORKERS), 1, WORKERS),
      inFront('ours, one process', ours(1), 1, 1),
      inFront('ours, two gateways', ours(1), WORKERS, WORKERS),
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
