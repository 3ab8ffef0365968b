import { describe, expect, it } from 'vitest'
import { toCli, toCurl, toSdk } from './code-for.ts'
import { fromCall, toRequest } from './to-request.ts'
import { expandTemplate, variablesOf } from './uri-template.ts'

const request = { method: 'tools/call', params: { name: 'say', arguments: { text: "it's “so”" } } }

describe('code for a request', () => {
  it('quotes for the shell, and encodes names that no header can carry', () => {
    const curl = toCurl('http://127.0.0.1:1/mcp', request, { era: 'modern', revision: '2026-07-28' })
    expect(curl).toContain(`it'\\''s “so”`)
    expect(curl).toContain("-H 'mcp-name: say'")
    const strange = { method: 'tools/call', params: { name: 'größe' } }
    expect(toCurl('http://x/mcp', strange, { era: 'modern', revision: '2026-07-28' })).toContain(
      'mcp-name: =?base64?',
    )
  })

  it('opens a session for legacy revisions', () => {
    const curl = toCurl('http://x/mcp', request, { era: 'legacy', revision: '2025-06-18' })
    expect(curl).toContain('"method":"initialize"')
    expect(curl).toContain('notifications/initialized')
    expect(curl).toContain('mcp-session-id: $SESSION')
  })

  it('knows commands and functions for what has them', () => {
    expect(toCli(request)).toMatch(/^gantry call say '/)
    expect(toCli({ method: 'tools/list', params: {} })).toBeUndefined()
    expect(toSdk('http://x/mcp', { method: 'resources/read', params: { uri: 'a://b' } })).toContain(
      'client.readResource("a://b")',
    )
    expect(toSdk('http://x/mcp', { method: 'ping', params: {} })).toContain('client.request("ping", {})')
  })
})

describe('requests and their drafts', () => {
  it('round-trip without touching values', () => {
    const draft = { text: '"\\n\\" <b>', n: 1 }
    for (const kind of ['tool', 'prompt'] as const) {
      const { pick, draft: back } = fromCall(toRequest({ kind, name: 'x' }, draft))
      expect(pick).toEqual({ kind, name: 'x' })
      expect(back).toBe(draft)
    }
  })
})

describe('URI templates', () => {
  it('expands what resources use', () => {
    expect(variablesOf('a://{x}/{+path}{?q,limit}')).toEqual(['x', 'path', 'q', 'limit'])
    const values = { x: 'a b', path: 'c/d', q: 'ü' }
    expect(expandTemplate('a://{x}/{+path}{?q,limit}', values)).toBe('a://a%20b/c/d?q=%C3%BC')
    expect(expandTemplate('a://{x}', {})).toBe('a://')
  })
})
