import { describe, expect, it } from 'vitest'
import { displayArgs, displayUrl } from './describe-target.ts'
import { Secret } from './secret.ts'

describe('displayArgs', () => {
  it('leaves out what looks like a credential', () => {
    const args = [
      '-y',
      'server',
      '--api-key',
      'k1',
      '--token=k2',
      new Secret('k3', '${env:K3}'),
      '--auth',
      '-v',
    ]
    expect(displayArgs(args)).toEqual([
      '-y',
      'server',
      '--api-key',
      '[redacted]',
      '--token=[redacted]',
      '${env:K3}',
      '--auth',
      '-v',
    ])
  })
})

describe('displayUrl', () => {
  it.each([
    ['https://user:pass@host/path?key=1#x', 'https://host/path'],
    ['http://127.0.0.1:3000/mcp', 'http://127.0.0.1:3000/mcp'],
    ['/home/me/petstore.yaml', '/home/me/petstore.yaml'],
  ])('%s → %s', (url, expected) => {
    expect(displayUrl(url)).toBe(expected)
  })

  it('shows where a secret came from', () => {
    expect(displayUrl(new Secret('https://host/?k=1', 'https://host/?k=${env:K}'))).toBe('https://host/')
  })
})
