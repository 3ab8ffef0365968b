import { hash } from 'node:crypto'
import { type EventText, OCSF_VERSION } from './audit-event.ts'

/** The last event of a chain. */
export interface ChainHead {
  readonly chain: string
  /** 0: there is none yet. */
  readonly sequence: number
  readonly fingerprint: string
  /** The type of the event. */
  readonly type: number
}

export interface Linked {
  readonly line: string
  readonly head: ChainHead
}

/** How a fingerprint was made: SHA-256 in hex, of JSON in the form of RFC 8785. */
const MADE = '"algorithm_id":3,"encoding_id":1,"serialization_id":2,"value":'

export function uidOf(chain: string, sequence: number): string {
  return `${chain}-${sequence}`
}

/**
 * Puts an event behind the last one. Its fingerprint is that of the whole event without the fingerprint itself, and
 * with that of the event before. So no event can be changed, taken out or moved without all that follow.
 */
export function linkEvent({ front, middle, end, type }: EventText, last: ChainHead, about: string): Linked {
  const { chain } = last
  const sequence = last.sequence + 1
  const before =
    last.sequence === 0
      ? ''
      : `,"prev_event":{"fingerprint":{${MADE}"${last.fingerprint}"},"type_uid":${last.type},` +
        `"uid":"${uidOf(chain, last.sequence)}"}`
  const start = `${front}"attestation_list":[{"chain_uid":"${chain}"`
  const metadata = `{${about},"sequence":${sequence},"uid":"${uidOf(chain, sequence)}","version":`
  const rest = `${before}}],${middle}${metadata}${VERSION}}${end}`
  const fingerprint = hash('sha256', start + rest, 'hex')
  return {
    line: `${start},"fingerprint":{${MADE}"${fingerprint}"}${rest}`,
    head: { chain, sequence, fingerprint, type },
  }
}

const VERSION = JSON.stringify(OCSF_VERSION)
