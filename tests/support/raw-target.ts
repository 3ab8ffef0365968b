import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const RAW = fileURLToPath(new URL('../fixtures/raw-server.mjs', import.meta.url))

export interface RawOptions {
  /** File that gets a line for every message received: the process id, then the message. */
  record?: string
  initDelay?: number
  version?: string
  name?: string
  /** Offers a tool that sends users to a page. */
  pages?: boolean
  /** The method that it answers and then ends, with code 1. */
  exitAfter?: string
  /** Offers resources, of which `raw://thing` can be subscribed to; that takes so many milliseconds. */
  subscribeDelay?: number
}

/** A target that speaks the wire by hand. */
export function rawTarget(options: RawOptions = {}, more: object = {}): Record<string, unknown> {
  return { command: process.execPath, args: [RAW, JSON.stringify(options)], era: 'legacy', ...more }
}

export interface Recorded {
  readonly pid: number
  readonly message: { id?: unknown; method?: string; params?: Record<string, unknown>; result?: unknown }
}

export async function readRecord(file: string): Promise<Recorded[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf(' ')
      return { pid: Number(line.slice(0, at)), message: JSON.parse(line.slice(at + 1)) }
    })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
