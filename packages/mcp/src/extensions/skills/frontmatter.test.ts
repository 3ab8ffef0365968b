import { describe, expect, it } from 'vitest'
import { parseSkill } from './frontmatter.ts'

const skill = (yaml: string, body = 'Body.\n') => `---\n${yaml}\n---\n${body}`
const MINIMAL = 'name: a\ndescription: b'

describe('parseSkill', () => {
  it('gives every field as JSON, and the body', () => {
    const yaml = [
      'name: pdf-processing',
      'description: >-',
      '  Extract and',
      '  fill',
      'metadata:',
      '  version: "2.1.0"',
      '  stable: yes',
      'allowed-tools: [Read, "Bash(git:*)"] # a comment',
      'created: 2026-07-28',
      'priority: 3',
    ].join('\n')
    expect(parseSkill(skill(yaml))).toEqual({
      ok: true,
      body: 'Body.\n',
      frontmatter: {
        name: 'pdf-processing',
        description: 'Extract and fill',
        metadata: { version: '2.1.0', stable: 'yes' },
        'allowed-tools': ['Read', 'Bash(git:*)'],
        created: '2026-07-28',
        priority: 3,
      },
    })
  })

  it('survives levels without end', () => {
    for (const deep of ['['.repeat(15_000), '- '.repeat(8_000), '{a: '.repeat(4_000)]) {
      expect(parseSkill(`---\n${MINIMAL}\nx: ${deep}\n---\n`)).toMatchObject({ ok: false })
    }
  })

  it('takes CRLF, and a file that ends with its frontmatter', () => {
    expect(parseSkill('---\r\nname: a\r\ndescription: b\r\n---\r\nBody.')).toMatchObject({ body: 'Body.' })
    expect(parseSkill(`---\n${MINIMAL}\n---`)).toMatchObject({ ok: true, body: '' })
  })

  it.each([
    ['nothing', ''],
    ['no frontmatter', '# Title\n'],
    ['no end', `---\n${MINIMAL}\n`],
    ['an empty one', '---\n---\n'],
    ['a list', skill('- name: a')],
    ['invalid YAML', skill('name: "a')],
    ['a key twice', skill(`${MINIMAL}\nname: c`)],
    ['no name', skill('description: b')],
    ['no description', skill('name: a')],
    ['an empty description', skill('name: a\ndescription: " "')],
    ['a long description', skill(`name: a\ndescription: ${'x'.repeat(1025)}`)],
    ['a name in capitals', skill('name: A\ndescription: b')],
    ['a name with two hyphens', skill('name: a--b\ndescription: b')],
    ['a name with a hyphen at its end', skill('name: a-\ndescription: b')],
    ['a long name', skill(`name: ${'a'.repeat(65)}\ndescription: b`)],
    ['a number for a name', skill('name: 7\ndescription: b')],
  ])('refuses %s', (_, text) => {
    expect(parseSkill(text)).toMatchObject({ ok: false, problem: expect.any(String) })
  })

  it('survives what was made to exhaust it', () => {
    const laughs = [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
    ]
    expect(parseSkill(skill(`${MINIMAL}\n${laughs.join('\n')}`)).ok).toBe(false)
    expect(parseSkill(skill(`${MINIMAL}\nx: ${'['.repeat(15_000)}`)).ok).toBe(false)
    expect(parseSkill(skill(`${MINIMAL}\nx: ${'y'.repeat(70_000)}`)).ok).toBe(false)
    expect(parseSkill(`---\n${'\n'.repeat(1_000_000)}`).ok).toBe(false)
  })

  it('keeps prototypes out of it', () => {
    const parsed = parseSkill(skill(`${MINIMAL}\n__proto__:\n  polluted: true`))
    expect(parsed).toMatchObject({ ok: true })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
