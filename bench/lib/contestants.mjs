import { join } from 'node:path'
import { openTarget, probeUntilRight } from '../load/http-request.mjs'
import { createWrkLoad } from '../load/wrk.mjs'
import { cpuMicroseconds, residentMegabytes } from './cpu.mjs'
import { startHttpServer } from './http-server.mjs'
import { startWorker } from './worker.mjs'

const BENCH = join(import.meta.dirname, '..')

/** The path of a program of a contestant. */
export const program = (name) => join(BENCH, 'contestants', name)

/** What most cases measure. */
export const RATE = {
  rate: { unit: 'calls/s', better: 'higher' },
  cpu: { unit: 'µs CPU/call', better: 'lower' },
}

/** Calls per second, the server's CPU time per call and so on, from what a load counted. */
export function rates({ count, ms, cpu, p50, p99, memory }, bytes) {
  const rate = count / (ms / 1000)
  return { rate, cpu: cpu / count, p50, p99, memory, throughput: (rate * bytes) / 1e6 }
}

/** A contestant that is asked over its pipes. */
export function overStdio(name, args, load) {
  const { command = process.execPath, era, message, expect, inFlight = 64, timed = false, bytes } = load
  return {
    name,
    async open({ nodeArgs }) {
      const options = { command, args: [...nodeArgs, ...args], era, message, expect, inFlight, timed }
      const worker = await startWorker(join(BENCH, 'load/stdio-load.mjs'), options)
      return { sample: async (ms) => rates(await worker.tell({ ms }), bytes), close: worker.close }
    },
  }
}

/**
 * A contestant that is asked over HTTP. `startServer` returns what `startHttpServer` does, and may add the
 * path of the endpoint. `alone`: what it started is not counted.
 */
export function overHttp(name, startServer, load) {
  const { era, message, expect, connections = 32, timed = false, alone = false, bytes } = load
  return {
    name,
    async open(options) {
      const server = await startServer(options.nodeArgs)
      try {
        const target = await openTarget({ port: server.port, path: server.path ?? '/mcp', era })
        const size = await probeUntilRight(target, message, expect)
        const source = await createHttpLoad({ target, message, expect, connections, timed, size }, options)
        const cpu = () => cpuMicroseconds(server.pid, alone)
        const sample = async (ms) => {
          const before = cpu()
          const counted = await source.sample(ms)
          return rates({ ...counted, cpu: cpu() - before, memory: residentMegabytes(server.pid) }, bytes)
        }
        return { sample, close: () => Promise.all([source.close(), server.close()]) }
      } catch (error) {
        await server.close()
        throw new Error(`${error.message}\n${server.output().slice(-500)}`)
      }
    },
  }
}

/**
 * A load over HTTP: wrk where it may be used. It counts whole answers only and in whole seconds, which is too
 * coarse for one connection, so timed loads are our own.
 */
export async function createHttpLoad({ target, message, expect, connections, timed, size }, { wrk }) {
  if (wrk && !timed) return createWrkLoad({ target, message, connections, size })
  const options = { target, message, expect, connections, timed }
  const worker = await startWorker(join(BENCH, 'load/http-load.mjs'), options)
  return { sample: (ms) => worker.tell({ ms }), close: worker.close }
}

/** A server that is one of our programs. */
export function serve(file, ...args) {
  return (nodeArgs) => startHttpServer({ args: [...nodeArgs, program(file), ...args] })
}
