import type { Client } from '../../client/index.ts'
import { isJsonObject } from '../../jsonrpc/index.ts'
import { LATEST_LEGACY } from '../../protocol/index.ts'

export type SupportingClient = Pick<
  Client,
  'on' | 'connected' | 'discover' | 'protocolVersion' | 'serverCapabilities' | 'listTools'
>

/** Which tools of a server of 2025-11-25 can be called as tasks; it is found in their list. */
export class TaskSupport {
  readonly #client: SupportingClient
  readonly #known = new Map<string, boolean>()

  constructor(client: SupportingClient) {
    this.#client = client
    client.on('close', () => this.#known.clear())
  }

  /** Whether the server has tasks of 2025-11-25; connects to find out. */
  async isOffered(signal: AbortSignal): Promise<boolean> {
    const client = this.#client
    if (!client.connected) await client.discover({ signal })
    return client.protocolVersion === LATEST_LEGACY && client.serverCapabilities?.tasks !== undefined
  }

  /** Whether a tool may be called as a task (2025-11-25, Tasks, Tool-Level Negotiation). */
  async has(tool: string, signal: AbortSignal): Promise<boolean> {
    if (this.#client.serverCapabilities?.tasks?.requests?.tools?.call === undefined) return false
    if (!this.#known.has(tool)) await this.relearn(tool, signal)
    return this.#known.get(tool) === true
  }

  /** Lists the tools; what is not among them cannot be a task. */
  async relearn(tool: string, signal: AbortSignal): Promise<void> {
    // Every page passes the middleware, which learns from it.
    for await (const _page of this.#client.listTools({ signal, fresh: true }).pages());
    if (!this.#known.has(tool)) this.#known.set(tool, false)
  }

  /** Learns from a page of the list. The first page replaces everything that was known. */
  learn(tools: unknown, isFirst = false): void {
    if (isFirst) this.#known.clear()
    if (!Array.isArray(tools)) return
    for (const tool of tools) {
      if (!isJsonObject(tool) || typeof tool.name !== 'string') continue
      const support = isJsonObject(tool.execution) ? tool.execution.taskSupport : undefined
      this.#known.set(tool.name, support === 'optional' || support === 'required')
    }
  }
}
