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
export function linkEvent(text: EventText, last: ChainHead, about: string): Linked {
  const { middle, end, type } = text
  const { chain } = last
  const sequence = last.sequence + 1
  const before =
    last.sequence === 0
      ? ''
      : `,"prev_event":{"fingerprint":{${MADE}"${last.fingerprint}"},"type_uid":${last.type},` +
        `"uid":"${uidOf(chain, last.sequence)}"}`
  const start = `${text.front}"attestation_list":[{"chain_uid":"${chain}"`
  const metadata = `{${about},"sequence":${sequence},"uid":"${uidOf(chain, sequence)}","version":`
  const rest = `${before}}],${middle}${metadata}${VERSION}}${end}`
  const whole = start + rest
  const fingerprint = hash('sha256', whole, 'hex')
  // Parts of the text that was hashed: putting it together once more would cost as much again.
  const [front, back] = [whole.slice(0, start.length), whole.slice(start.length)]
  return {
    line: `${front},"fingerprint":{${MADE}"${fingerprint}"}${back}`,
    head: { chain, sequence, fingerprint, type },
  }
}

const VERSION = JSON.stringify(OCSF_VERSION)
