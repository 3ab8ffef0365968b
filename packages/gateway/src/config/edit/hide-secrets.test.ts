import { describe, expect, it } from 'vitest'
import { hideSecrets } from './hide-secrets.ts'

const JSONC = `{
  // keep me
  "mcpServers": {
    "a": { "command": "x", "args": ["--api-key", "abc123"], "env": { "TOKEN": "t\\"1", "REF": "\${env:REF}" } },
    "b": { "url": "https://user:pw@host/mcp?key=q" }
  }
}
`

describe('hideSecrets', () => {
  it('leaves a mask of its own for every secret, and nothing of the secrets', async () => {
    const { text } = await hideSecrets(JSONC, 'jsonc')
    expect(text).not.toMatch(/abc123|t\\"1|pw@|key=q/)
    expect(text).toContain('${env:REF}')
    expect(text).toContain('// keep me')
    expect([...text.matchAll(/••••\d+••••/g)].map(([mask]) => mask)).toEqual([
      '••••1••••',
      '••••2••••',
      '••••3••••',
      '••••4••••',
    ])
  })

  it('gives the very same text back', async () => {
    const hidden = await hideSecrets(JSONC, 'jsonc')
    expect(hidden.restore(hidden.text).text).toBe(JSONC)
  })

  it('follows masks that were moved, and keeps new values', async () => {
    const hidden = await hideSecrets(
      'mcpServers:\n  a:\n    url: http://h/\n    headers:\n      X-Key: abc\n',
      'yaml',
    )
    expect(hidden.text).toContain('X-Key: ••••1••••')
    const edited = 'headers: { Y: new, X-Key: ••••1•••• }'
    expect(hidden.restore(edited).text).toBe('headers: { Y: new, X-Key: abc }')
  })

  it('names masks that stand for nothing', async () => {
    const hidden = await hideSecrets('{}', 'jsonc')
    expect(hidden.restore('{"a":"••••9••••"}').unknown).toEqual([{ mask: '••••9••••', offset: 6 }])
  })

  it('finds places of the restored text in the edited one', async () => {
    const hidden = await hideSecrets('{"env":{"A":"a much longer secret"},"x":1}', 'jsonc')
    const { text, toEdited } = hidden.restore(hidden.text)
    expect(hidden.text.slice(toEdited(text.indexOf('"x"')))).toBe('"x":1}')
    expect(toEdited(0)).toBe(0)
    expect(toEdited(text.indexOf('longer'))).toBe(hidden.text.indexOf('••••1'))
  })

  it('hides what it can when the text is broken', async () => {
    const hidden = await hideSecrets('{ "env": { "API_KEY": "abc", ', 'jsonc')
    expect(hidden.text).not.toContain('abc')
    expect(hidden.restore(hidden.text).text).toContain('abc')
  })

  it('restores values without the escapes of the file', async () => {
    const hidden = await hideSecrets(JSONC, 'jsonc')
    expect(hidden.restoreValue({ env: { TOKEN: '••••2••••' }, args: ['••••1••••'] })).toEqual({
      env: { TOKEN: 't"1' },
      args: ['abc123'],
    })
  })
})
