import type { AuditTrail } from '../../audit/index.ts'
import type { AuditEntry } from '../contract.ts'

/** How long events are gathered, in milliseconds. */
const GATHERED = 200
/** Told at once; a reader that wants all of them asks for them. */
const MOST = 200

/** Tells of new events of the trail, only while anybody wants to hear of them. */
export class AuditTail {
  readonly #trail: AuditTrail | undefined
  readonly #tell: (events: AuditEntry[]) => void
  #lines = ''
  #timer: NodeJS.Timeout | undefined
  #stop: (() => void) | undefined

  constructor(trail: AuditTrail | undefined, tell: (events: AuditEntry[]) => void) {
    this.#trail = trail
    this.#tell = tell
  }

  want(isWanted: boolean): void {
    if (!isWanted) return this.close()
    this.#stop ??= this.#trail?.follow({
      written: (lines) => {
        this.#lines += lines
        this.#timer ??= setTimeout(() => void this.#flush(), GATHERED).unref()
      },
    })
  }

  async #flush(): Promise<void> {
    const lines = this.#lines
    this.#lines = ''
    this.#timer = undefined
    const { foundIn } = await import('../../audit/index.ts')
    const events = foundIn(lines).slice(-MOST)
    if (this.#stop && events.length > 0) this.#tell(events as unknown as AuditEntry[])
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#lines = ''
    this.#stop?.()
    this.#stop = undefined
  }
}
