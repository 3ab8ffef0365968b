import type { EventShape } from '../audit-event.ts'
import type { UnmappedShape } from './unmapped.ts'

/** OCSF as its repository had it when this was written (docs/audit.md). */
const OCSF_VERSION = '1.9.0-dev'

/** The bytes that like events of one chain have in common: all but the numbers of the event, its time and what is not mapped. */
export interface ChainShape extends UnmappedShape {
  /** Up to the request. */
  readonly front: Buffer
  /** From there to the fingerprint. */
  readonly api: Buffer
  /** Up to the sequence. */
  readonly middle: Buffer
  /** From its id to the time. */
  readonly end: Buffer
  /** The length of all of them. */
  readonly bytes: number
  readonly type: number
}

/** `about`: the members of the metadata that all events have. */
export function chainShape(shape: EventShape, chain: string, about: string): ChainShape {
  const { type, outcome, stage, view } = shape
  const front = Buffer.from(shape.front)
  const api = Buffer.from(`${shape.api}"attestation_list":[{"chain_uid":"${chain}"`)
  const middle = Buffer.from(`}],${shape.middle}{${about},"sequence":`)
  const end = Buffer.from(`","version":"${OCSF_VERSION}"}${shape.end}`)
  const bytes = front.length + api.length + middle.length + end.length
  return { front, api, middle, end, bytes, type, outcome, stage, view }
}
