import { unlink } from 'node:fs/promises'
import type { AuditModel } from '../model/index.ts'
import type { ChainHead } from './thread/hash-chain.ts'
import { lastLine, parseEvent, placeOf } from './read-events.ts'
import { factsOf, listSegments, processOf, type Segment, type SegmentFacts } from './segments.ts'

/** The end of a chain, or of a file that was removed. */
export type ChainEnd = Pick<ChainHead, 'chain' | 'sequence' | 'fingerprint'>

/** Chains that a new one names in its first event. */
const MOST_EARLIER = 50

export async function endOf({ file }: Segment): Promise<ChainEnd | undefined> {
  const line = await lastLine(file).catch(() => undefined)
  const place = line === undefined ? undefined : placeOf(parseEvent(line) ?? {})
  if (!place) return undefined
  const { chain, sequence, fingerprint } = place
  return { chain, sequence, fingerprint }
}

/** Where the chains of other processes end now, the newest last. */
export async function earlierChains(folder: string, own: string): Promise<ChainEnd[]> {
  const last = new Map<string, Segment>()
  for (const segment of await listSegments(folder)) {
    if (segment.chain !== own) last.set(segment.chain, segment)
  }
  const ends = await Promise.all([...last.values()].slice(-MOST_EARLIER).map(endOf))
  return ends.filter((end) => end !== undefined)
}

/** Removes files that are too old or too many, after their ends are told: what follows them stays provable. */
export async function removeOld(
  settings: Pick<AuditModel, 'folder' | 'keepFor' | 'keepBytes'>,
  current: string | undefined,
  tell: (removed: ChainEnd[]) => Promise<void>,
): Promise<void> {
  const segments = await factsOf(await listSegments(settings.folder))
  const others = segments.filter(
    (segment, at) => segment.file !== current && !isWritten(segment, segments[at + 1]),
  )
  const old = tooOld(
    others,
    settings,
    segments.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  if (old.length === 0) return
  const ends = await Promise.all(old.map(endOf))
  await tell(ends.filter((end) => end !== undefined))
  for (const { file } of old) await unlink(file).catch(() => {})
}

/** The last file of a chain whose process runs. */
function isWritten({ chain }: Segment, next: Segment | undefined): boolean {
  return next?.chain !== chain && isRunning(processOf(chain))
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function tooOld(
  segments: readonly SegmentFacts[],
  { keepFor, keepBytes }: Pick<AuditModel, 'keepFor' | 'keepBytes'>,
  bytes: number,
): SegmentFacts[] {
  const before = Date.now() - keepFor
  let left = bytes
  return [...segments]
    .sort((a, b) => a.changedAt - b.changedAt)
    .filter((segment) => {
      if (segment.changedAt >= before && left <= keepBytes) return false
      left -= segment.bytes
      return true
    })
}
