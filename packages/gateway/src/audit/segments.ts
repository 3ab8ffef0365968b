import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a chain. A process has a chain of its own, in one file after the other. */
export interface Segment {
  readonly file: string
  readonly chain: string
  /** From 1 on. */
  readonly number: number
}

export interface SegmentFacts extends Segment {
  readonly bytes: number
  readonly changedAt: number
}

const NAME = /^(\d{8}T\d{6}Z-\d+-[0-9a-f]{8})\.(\d{6})\.jsonl$/

/** A name that no other process has, and that sorts by the time of its start. */
export function newChain(): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `${time}-${process.pid}-${randomBytes(4).toString('hex')}`
}

export function segmentOf(folder: string, chain: string, number: number): Segment {
  return { file: join(folder, `${chain}.${String(number).padStart(6, '0')}.jsonl`), chain, number }
}

/** Chains by their start, and the files of each in their order. Other files are left alone. */
export async function listSegments(folder: string): Promise<Segment[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.sort().flatMap((name) => {
    const [, chain, number] = NAME.exec(name) ?? []
    return chain === undefined ? [] : [{ file: join(folder, name), chain, number: Number(number) }]
  })
}

export async function factsOf(segments: readonly Segment[]): Promise<SegmentFacts[]> {
  const found = await Promise.all(
    segments.map(async (segment) => {
      const facts = await stat(segment.file).catch(() => undefined)
      return facts && { ...segment, bytes: facts.size, changedAt: facts.mtimeMs }
    }),
  )
  return found.filter((segment) => segment !== undefined)
}

/** Which process writes, or wrote, a chain. */
export function processOf(chain: string): number {
  return Number(chain.split('-')[1])
}
