import { Agent, request } from 'node:http'
import { expect, it } from 'vitest'
import { CAN_MEASURE, GatewayProcess } from '../support/gateway-process.ts'
import { rawTarget } from '../support/raw-target.ts'

const CALLS = 15_000
const LANES = 32
/** In parts of what was allocated. It was 0.2 when ended calls hung together, and 0.03 since they do not. */
const MOST_KEPT = 0.1

type Headers = Record<string, string>

const common: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'garbage', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

function post(
  endpoint: string,
  agent: Agent,
  headers: Headers,
  message: object,
): Promise<{ text: string; session: string }> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return new Promise((resolve, reject) => {
    const asked = request(endpoint, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += chunk))
      answer.on('end', () => resolve({ text, session: String(answer.headers['mcp-session-id']) }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

async function openSession(endpoint: string, agent: Agent): Promise<Headers> {
  const headers = { ...common, 'mcp-protocol-version': '2025-11-25' }
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'garbage', version: '1' },
  }
  const { session } = await post(endpoint, agent, headers, { id: 0, method: 'initialize', params })
  const inSession = { ...headers, 'mcp-session-id': session }
  await post(endpoint, agent, inSession, { method: 'notifications/initialized' })
  return inSession
}

/** Which part of what is allocated stays after a collection of the young: only calls under way should. */
function shareKept(trace: string): number {
  const found = [...trace.matchAll(/Scavenge[^0-9]*([0-9.]+) \([0-9.]+\) -> ([0-9.]+)/g)]
  const sizes = found.map(([, before, after]) => ({ before: Number(before), after: Number(after) }))
  let kept = 0
  let allocated = 0
  // What is loaded at the start stays, and a full collection in between makes the heap smaller.
  for (let at = Math.floor(sizes.length / 2); at < sizes.length; at++) {
    const grown = sizes[at]!.after - sizes[at - 1]!.after
    if (grown < 0) continue
    kept += grown
    allocated += sizes[at]!.before - sizes[at - 1]!.after
  }
  expect(allocated).toBeGreaterThan(10)
  return kept / allocated
}

it.skipIf(!CAN_MEASURE).each(['a session', 'the newer era'])(
  'a call that has ended keeps no other alive, in %s',
  async (kind) => {
    await using gateway = await GatewayProcess.start({ mcpServers: { raw: rawTarget({}) } }, ['--trace-gc'])
    let trace = ''
    gateway.child.stdout!.on('data', (chunk) => (trace += chunk))
    const agent = new Agent({ keepAlive: true, maxSockets: LANES })
    const isSession = kind === 'a session'
    const newer = {
      ...common,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'raw_pid',
    }
    const headers = isSession ? await openSession(gateway.endpoint, agent) : newer
    const params = { name: 'raw_pid', arguments: {}, ...(!isSession && { _meta: meta }) }
    let id = 0
    const lane = async (): Promise<void> => {
      while (id < CALLS) {
        const { text } = await post(gateway.endpoint, agent, headers, {
          id: ++id,
          method: 'tools/call',
          params,
        })
        expect(text).toContain('"result"')
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    agent.destroy()
    expect(shareKept(trace)).toBeLessThan(MOST_KEPT)
  },
)
