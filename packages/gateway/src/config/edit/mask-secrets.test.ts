import { describe, expect, it } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

describe('maskSecrets', () => {
  it('hides what is written down and shows what is referred to', async () => {
    const text = `{
  "mcpServers": {
    "env": { "command": "shown" },
    "a": {
      "command": "npx", "args": ["--token", "tok1", "--x=\${env:X}", "shown", "--api-key=tok2"],
      "env": { "A": "tok3", "B": "\${env:B}", "C": "\${env:C:-tok4}", "N": 12345 },
      "headers": { "Authorization": "Bearer \${env:T}", "X": "Bearer tok5" },
      "url": "https://user:tok6@host/path?key=tok7"
    }
  },
  "auth": { "apiKeys": [{ "name": "shown", "key": "tok8" }] },
  "server": { "sealingKeys": ["tok9"] },
  "policy": { "rules": [{ "who": { "apiKeys": ["shown"] } }] }
}`
    const masked = await maskSecrets(text, 'jsonc')
    expect(masked).not.toMatch(/tok\d|12345/)
    expect(masked.match(/shown/g)).toHaveLength(4)
    for (const part of [
      '"${env:B}"',
      'Bearer ${env:T}',
      '--x=${env:X}',
      'https://',
      '@host/path?',
      '"--token"',
    ]) {
      expect(masked).toContain(part)
    }
    expect(masked.split('\n').map((line) => line.length)).toEqual(text.split('\n').map((line) => line.length))
  })

  it('works in YAML, block scalars included', async () => {
    const text =
      'mcpServers:\n  a:\n    command: x\n    env:\n      KEY: tok1\n      PEM: |\n        tok2\n        tok3\n      R: ${env:R}\n'
    const masked = await maskSecrets(text, 'yaml')
    expect(masked).not.toMatch(/tok\d/)
    expect(masked).toContain('R: ${env:R}')
    expect(masked.split('\n')).toHaveLength(text.split('\n').length)
  })

  it('does what it can for text that is broken', async () => {
    const masked = await maskSecrets(
      '{ "env": { "GITHUB_TOKEN": "tok1", "password": \'tok2\' "command": "x"',
      'jsonc',
    )
    expect(masked).not.toMatch(/tok\d/)
    expect(masked).toContain('"command": "x"')
  })

  it('keeps columns beside letters that take two code units', async () => {
    const text = '{ "title": "😀", "key": "tok1", "x": 1 }'
    expect(await maskSecrets(text, 'jsonc')).toBe('{ "title": "😀", "key": "••••", "x": 1 }')
  })
})
