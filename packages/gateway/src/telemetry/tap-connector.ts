import type { Connector, Exchange, IncomingMessage, Wire, WireRequestOptions } from '@gantry/mcp/exchange'
import type { Handshake } from './handshake.ts'
import { recordOf, type WireView } from './wire-view.ts'

type Request = Parameters<Wire['request']>[0]
type Response = Awaited<ReturnType<Wire['request']>>
type Message = Parameters<Wire['send']>[0]

/** Who looks at the messages of a target: the handshake while it lasts, then the wire view while somebody watches it. */
export class Tap {
  readonly #handshake: Handshake
  readonly #shown: { readonly view: WireView; readonly target: string } | undefined

  constructor(handshake: Handshake, shown?: { readonly view: WireView; readonly target: string }) {
    this.#handshake = handshake
    this.#shown = shown
  }

  /** Asked for every message: when nobody looks, nothing is done. */
  get active(): boolean {
    return this.#handshake.active || this.#shown?.view.watched === true
  }

  /** A wire is about to be opened; there may be several before one is good. */
  opening(kind: string): void {
    this.#handshake.opening(kind)
  }

  /** Messages of an exchange go to its record; those of no exchange to the only one under way, if there is one. */
  seen(direction: 'in' | 'out', message: unknown, origin: object | undefined): void {
    if (this.#handshake.active) this.#handshake.seen(direction, message)
    if (!this.#shown?.view.watched) return
    const { view, target } = this.#shown
    const record = (origin && recordOf(origin as Exchange)) ?? view.onlyRunning(target)
    if (record) view.add(record, { hop: 'target', direction, message })
  }
}

/** Shows every message that crosses a target's wires to the console, without touching them. */
export function tapConnector(connector: Connector, tap: Tap): Connector {
  return {
    kind: connector.kind,
    key: connector.key,
    open: async (options) => {
      tap.opening(connector.kind)
      return new TappedWire(await connector.open(options), tap)
    },
    fallback: connector.fallback && tapConnector(connector.fallback, tap),
  }
}

export class TappedWire implements Wire {
  readonly inner: Wire
  onMessage: ((message: IncomingMessage) => void) | undefined
  readonly #tap: Tap

  constructor(inner: Wire, tap: Tap) {
    this.inner = inner
    this.#tap = tap
    inner.onMessage = (message) => {
      if (tap.active) tap.seen('in', message, undefined)
      this.onMessage?.(message)
    }
  }

  get kind(): string {
    return this.inner.kind
  }

  get takesCancellation(): boolean | undefined {
    return this.inner.takesCancellation
  }

  get onLateAnswer(): Wire['onLateAnswer'] {
    return this.inner.onLateAnswer
  }

  set onLateAnswer(listener: Wire['onLateAnswer']) {
    this.inner.onLateAnswer = listener
  }

  get onClose(): Wire['onClose'] {
    return this.inner.onClose
  }

  set onClose(listener: Wire['onClose']) {
    this.inner.onClose = listener
  }

  request(message: Request, options: WireRequestOptions = {}): Promise<Response> {
    const tap = this.#tap
    if (!tap.active) return this.inner.request(message, options)
    const { origin, onMessage } = options
    tap.seen('out', message, origin)
    const watched = onMessage && {
      onMessage: (incoming: IncomingMessage) => {
        tap.seen('in', incoming, origin)
        onMessage(incoming)
      },
    }
    return this.inner.request(message, { ...options, ...watched, takesBytes: false }).then((response) => {
      tap.seen('in', response, origin)
      return response
    })
  }

  send(message: Message): Promise<void> {
    if (this.#tap.active) this.#tap.seen('out', message, undefined)
    return this.inner.send(message)
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version)
  }

  startListening(): void {
    this.inner.startListening?.()
  }

  close(): Promise<void> {
    return this.inner.close()
  }
}
