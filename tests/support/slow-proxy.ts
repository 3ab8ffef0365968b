import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SlowProxy {
  readonly port: number
  /** Milliseconds that each piece of data waits, in both directions. */
  delay: number
  /** Ends all connections that there are. */
  drop(): void
  close(): Promise<void>
}

/** Stands before a port of this machine, and can be slow. */
export async function startSlowProxy(target: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (data) => {
      if (proxy.delay === 0) to.write(data)
      else setTimeout(() => to.write(data), proxy.delay)
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    pass(near, far)
    pass(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: SlowProxy = {
    port: (server.address() as AddressInfo).port,
    delay: 0,
    drop() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      proxy.drop()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
