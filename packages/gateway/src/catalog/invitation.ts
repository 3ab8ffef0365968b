import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { Snapshot } from './fetch-lists.ts'

/** Marks the tool that connects the account of its caller. */
const MARK = 'dev.gantry/connect'

/** Whether a tool is the gateway's own, which connects the account of its caller. */
export function isConnectTool(tool: JsonObject | undefined): boolean {
  return isJsonObject(tool?._meta) && tool._meta[MARK] === true
}

/** The tool that a target has for people who have not connected an account, when it lists nothing for strangers. */
export function invitation({ name, title }: TargetModel): Snapshot {
  const called = title ?? name
  return {
    tools: [
      {
        name: 'connect',
        title: `Connect ${called}`,
        description: `Connects your own account of ${called}. After that its tools are listed.`,
        inputSchema: { type: 'object', properties: {} },
        _meta: { [MARK]: true },
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      },
    ],
    prompts: [],
    resources: [],
    templates: [],
    skills: [],
    ttlMs: undefined,
    cacheScope: 'private',
    discovery: { supportedVersions: [], capabilities: { tools: { listChanged: true } } },
    fetchedAt: Date.now(),
  }
}
