import cluster, { type Worker } from 'node:cluster'
import type { Serializable } from 'node:child_process'

/** How `node:cluster` hands a connection to a worker, and what the worker says to it. */
interface ClusterMessage {
  readonly act?: string
  readonly seq?: number
  /** The message that is answered. */
  readonly ack?: number
}

/**
 * Gives a connection to another worker when its worker died before it took the connection. Node itself forgets such
 * connections: they stay open and are never answered. A worker announces that it takes a connection before it reads
 * from it, so nothing of the request is lost.
 */
export function keepHandedConnections(worker: Worker): void {
  const child = worker.process
  const handed = new Set<number>()
  const send = child.send as (...args: unknown[]) => boolean
  child.send = (message: Serializable, ...rest: unknown[]): boolean => {
    const { act, seq } = message as ClusterMessage
    if (act === 'newconn') handed.add(seq!)
    return send.call(child, message, ...rest)
  }
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) handed.delete(ack)
  })
  // Writing to one that is just ending fails. That it ended is heard by itself.
  worker.on('error', () => {})
  // Nothing more can come from it, what it had said has been read.
  child.once('close', () => {
    // Node does not notice it for a worker that had something left to take, and would hand it more.
    if (cluster.workers?.[worker.id]) child.emit('disconnect')
    for (const seq of handed) {
      child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false })
    }
  })
}
