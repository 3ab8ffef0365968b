import { describe, expect, it } from 'vitest'
import { splitCommand } from './split-command.ts'

const words = (line: string): unknown => {
  const split = splitCommand(line)
  return split.ok ? split.words : split.reason
}

describe('splitCommand', () => {
  it.each([
    ['npx -y server', ['npx', '-y', 'server']],
    ['$ npx server', ['npx', 'server']],
    [`node "a b.js" 'c d' e\\ f`, ['node', 'a b.js', 'c d', 'e f']],
    ['node --x="1 2"', ['node', '--x=1 2']],
    ['npx \\\n  -y \\\n  server', ['npx', '-y', 'server']],
    ['node ""', ['node', '']],
    ['C:\\node\\node.exe x', ['C:\\node\\node.exe', 'x']],
    ['server --url "http://x/?a=1&b=2"', ['server', '--url', 'http://x/?a=1&b=2']],
    ['server $HOME/x ${USER}', ['server', '${env:HOME}/x', '${env:USER}']],
  ])('%j', (line, expected) => {
    expect(words(line)).toEqual(expected)
  })

  it.each(['a | b', 'a; b', 'a > b', 'a && b', 'a `b`', 'a $(b)', 'a &'])(
    'refuses %j: no shell does that',
    (line) => {
      expect(words(line)).toMatch(/shell/)
    },
  )

  it('says when a quote is not closed', () => {
    expect(words('node "a')).toMatch(/not closed/)
  })

  it('takes variables that are set in front', () => {
    expect(splitCommand('env A=1 B="x y" C=$TOKEN npx server D=4')).toEqual({
      ok: true,
      words: ['npx', 'server', 'D=4'],
      env: { A: '1', B: 'x y', C: '${env:TOKEN}' },
    })
  })
})
