import { describe, expect, it } from 'vitest'
import { suggest } from './suggest.ts'

describe('suggest', () => {
  const keys = ['command', 'args', 'env', 'url', 'isolation', 'mcpServers', 'idleStop']

  it.each([
    ['comand', 'command'],
    ['arsg', 'args'],
    ['mcp_servers', 'mcpServers'],
    ['MCPSERVERS', 'mcpServers'],
    ['idle-stop', 'idleStop'],
    ['isolatoin', 'isolation'],
    ['uri', 'url'],
    ['isolat', 'isolation'],
    ['isol', 'isolation'],
    ['iso', undefined],
    ['banana', undefined],
    ['x', undefined],
    ['', undefined],
  ])('%s → %s', (written, meant) => {
    expect(suggest(written, keys)).toBe(meant)
  })
})
