import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ConfigChange, editConfig } from './edit-config.ts'
import { parseSource } from '../document/parse-source.ts'
import type { ConfigFormat } from '../document/source-document.ts'

async function edit(text: string, format: ConfigFormat, ...changes: ConfigChange[]): Promise<string> {
  let edited = text
  for (const change of changes) {
    const result = await editConfig(edited, format, change)
    if (!result.ok) throw new Error(result.reason)
    edited = result.text
  }
  return edited
}

const json = `// My servers
{
  "mcpServers": {
    // files of this project
    "fs": {
      "command": "npx", // not npm
      "args": ["-y", "server", "."],
    },
    /* the web */
    "web": { "url": "https://x.example/mcp", "headers": { "A": "b" } } // last
    // the end
  },
  "server": { "port": 1 }
}
`

describe('editing JSON with comments', () => {
  it('adds a target after the last one, whose comment stays with it', async () => {
    const edited = await edit(json, 'jsonc', {
      type: 'setTarget',
      name: 'new',
      value: { command: 'x', args: ['1'] },
    })
    expect(edited).toBe(
      json.replace(
        '} } // last\n',
        '} }, // last\n    "new": {\n      "command": "x",\n      "args": ["1"]\n    }\n',
      ),
    )
  })

  it('changes a target only where it is different', async () => {
    const value = { command: 'npx', args: ['-y', 'server', '/'], enabled: false }
    expect(await edit(json, 'jsonc', { type: 'setTarget', name: 'fs', value })).toBe(
      json.replace(
        '"args": ["-y", "server", "."],\n',
        '"args": ["-y", "server", "/"],\n      "enabled": false,\n',
      ),
    )
  })

  it('removes a target and nothing else', async () => {
    const withoutFirst = await edit(json, 'jsonc', { type: 'removeTarget', name: 'fs' })
    expect(withoutFirst).toBe(json.replace(/ {4}"fs": \{[^}]*\},\n/, ''))
    const withoutLast = await edit(json, 'jsonc', { type: 'removeTarget', name: 'web' })
    expect(withoutLast).toBe(json.replace('    },\n    /*', '    }\n    /*').replace(/ {4}"web".*\n/, ''))
  })

  it('renames a target in its place', async () => {
    expect(await edit(json, 'jsonc', { type: 'renameTarget', name: 'fs', to: 'files' })).toBe(
      json.replace('"fs"', '"files"'),
    )
  })

  it('sets, adds and removes values', async () => {
    const set = (path: string[], value: unknown): ConfigChange => ({ type: 'set', path, value })
    expect(await edit(json, 'jsonc', set(['server', 'port'], 2))).toBe(json.replace('"port": 1', '"port": 2'))
    expect(await edit(json, 'jsonc', set(['server', 'host'], '::1'))).toBe(
      json.replace('"port": 1', '"port": 1, "host": "::1"'),
    )
    expect(await edit(json, 'jsonc', set(['server', 'port'], undefined))).toBe(
      json.replace('{ "port": 1 }', '{}'),
    )
    expect(await edit(json, 'jsonc', set(['names', 'separator'], '-'))).toContain(
      '"server": { "port": 1 },\n  "names": {\n    "separator": "-"\n  }\n}',
    )
  })

  it('starts from nothing', async () => {
    const change: ConfigChange = { type: 'setTarget', name: 'a', value: { command: 'x' } }
    const expected = '{\n  "mcpServers": {\n    "a": {\n      "command": "x"\n    }\n  }\n}\n'
    expect(await edit('', 'jsonc', change)).toBe(expected)
    expect(await edit('{}', 'jsonc', change)).toBe(expected.trimEnd())
    expect(await edit('// note\n', 'jsonc', change)).toBe(`// note\n${expected}`)
    expect(await edit('{ "mcpServers": {\n  // none yet\n} }', 'jsonc', change)).toContain('// none yet\n')
  })

  it('keeps tabs and Windows line ends', async () => {
    const text = '{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "x" }\r\n\t}\r\n}\r\n'
    expect(await edit(text, 'jsonc', { type: 'setTarget', name: 'b', value: { command: 'y' } })).toBe(
      text.replace('"x" }\r\n', '"x" },\r\n\t\t"b": {\r\n\t\t\t"command": "y"\r\n\t\t}\r\n'),
    )
  })

  it('uses the section that is there', async () => {
    const text = '{\n  "servers": { "a": { "command": "x" } }\n}\n'
    const added = await edit(text, 'jsonc', { type: 'setTarget', name: 'b', value: { command: 'y' } })
    expect(Object.keys(JSON.parse(added).servers)).toEqual(['a', 'b'])
  })

  it('edits lists of objects entry by entry', async () => {
    const text = `{
  "policy": {
    "rules": [
      // first
      { "deny": ["a"] }, // one
      { "deny": ["b"] } // two
    ]
  }
}
`
    const rules = (value: unknown): ConfigChange => ({ type: 'set', path: ['policy', 'rules'], value })
    const appended = await edit(text, 'jsonc', rules([{ deny: ['a'] }, { deny: ['b'] }, { allow: ['c'] }]))
    expect(appended).toContain('{ "deny": ["b"] }, // two\n      {\n        "allow": ["c"]')
    expect(await edit(text, 'jsonc', rules([{ deny: ['b'] }]))).toBe(
      text.replace('      { "deny": ["a"] }, // one\n', ''),
    )
  })
})

const yaml = `# My servers
mcpServers:
  # files of this project
  fs:
    command: npx   # not npm
    args: [-y, server, .]

  # the web
  web:
    url: https://x.example/mcp
    headers:
      A: b # last

# the gateway itself
server: { port: 1 }
policy:
  rules:
    - deny: [a] # one
    - deny: [b] # two
`

describe('editing YAML', () => {
  it('adds a target after the last one', async () => {
    const edited = await edit(yaml, 'yaml', {
      type: 'setTarget',
      name: 'new',
      value: { command: 'x', args: ['1'] },
    })
    expect(edited).toBe(
      yaml.replace('A: b # last\n', 'A: b # last\n  new:\n    command: x\n    args:\n      - "1"\n'),
    )
  })

  it('changes a target only where it is different', async () => {
    const value = { command: 'uvx', args: ['-y', 'server', '.'], enabled: false }
    expect(await edit(yaml, 'yaml', { type: 'setTarget', name: 'fs', value })).toBe(
      yaml
        .replace('command: npx ', 'command: uvx ')
        .replace('server, .]\n', 'server, .]\n    enabled: false\n'),
    )
  })

  it('removes a target and nothing else', async () => {
    expect(await edit(yaml, 'yaml', { type: 'removeTarget', name: 'fs' })).toBe(
      yaml.replace(/ {2}fs:\n {4}command.*\n {4}args.*\n/, ''),
    )
  })

  it('renames a target in its place', async () => {
    expect(await edit(yaml, 'yaml', { type: 'renameTarget', name: 'web', to: 'the web: 2' })).toBe(
      yaml.replace('  web:', '  "the web: 2":'),
    )
  })

  it('sets, adds and removes values', async () => {
    const set = (path: (string | number)[], value: unknown): ConfigChange => ({ type: 'set', path, value })
    expect(await edit(yaml, 'yaml', set(['server', 'port'], 2))).toBe(yaml.replace('port: 1', 'port: 2'))
    expect(await edit(yaml, 'yaml', set(['server', 'host'], '::1'))).toBe(
      yaml.replace('{ port: 1 }', '{ port: 1, host: ::1 }'),
    )
    expect(await edit(yaml, 'yaml', set(['names', 'separator'], '-'))).toBe(
      `${yaml}names:\n  separator: "-"\n`,
    )
    expect(await edit(yaml, 'yaml', set(['mcpServers', 'web', 'headers', 'A'], 'c'))).toBe(
      yaml.replace('A: b #', 'A: c #'),
    )
    expect(await edit(yaml, 'yaml', set(['policy', 'rules'], [{ deny: ['b'] }]))).toBe(
      yaml.replace('    - deny: [a] # one\n', ''),
    )
    expect(await edit(yaml, 'yaml', set(['policy', 'rules', 2], { allow: ['c'] }))).toContain('# two\n    -')
  })

  it('starts from nothing', async () => {
    const change: ConfigChange = { type: 'setTarget', name: 'a', value: { command: 'x' } }
    expect(await edit('', 'yaml', change)).toBe('mcpServers:\n  a:\n    command: x\n')
    expect(await edit('# note\n', 'yaml', change)).toBe('# note\nmcpServers:\n  a:\n    command: x\n')
    expect(await edit('{}\n', 'yaml', change)).toBe('mcpServers:\n  a:\n    command: x\n')
    expect(await edit('mcpServers: {}\n', 'yaml', change)).toBe('mcpServers:\n  a:\n    command: x\n')
    expect(await edit('mcpServers:\nserver:\n  port: 1\n', 'yaml', change)).toBe(
      'mcpServers:\n  a:\n    command: x\nserver:\n  port: 1\n',
    )
  })
})

describe('refusals', () => {
  it.each([
    ['{', { type: 'removeTarget', name: 'a' }, /while it is broken/],
    ['{}', { type: 'removeTarget', name: 'a' }, /no target "a"/],
    ['{}', { type: 'renameTarget', name: 'a', to: 'b' }, /no target "a"/],
    ['{"mcpServers":{"a":{},"b":{}}}', { type: 'renameTarget', name: 'a', to: 'b' }, /"b" already/],
    ['{"server": 1}', { type: 'set', path: ['server', 'port'], value: 1 }, /not an object/],
    ['[]', { type: 'set', path: ['server', 'port'], value: 1 }, /not an object/],
  ] as [string, ConfigChange, RegExp][])('%s', async (text, change, reason) => {
    const result = await editConfig(text, 'jsonc', change)
    expect(result.ok ? result.text : result.reason).toMatch(reason)
  })
})

describe('any edit of any configuration', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'my server', '1', '__proto__', 'x:y', '#')
  const scalar = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom('a\nb', '- x', 'null', '${env:A}', ': #'),
  )
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(name, scalar, { maxKeys: 3, noNullPrototype: true }),
  )
  const target = fc.dictionary(fc.constantFrom('command', 'args', 'env', 'title'), value, {
    maxKeys: 4,
    noNullPrototype: true,
  })
  const config = fc.record({
    mcpServers: fc.dictionary(name, target, { maxKeys: 4, noNullPrototype: true }),
    names: target,
  })
  const change = fc.oneof(
    fc.record({ type: fc.constant('setTarget'), name, value: target }),
    fc.record({
      type: fc.constant('set'),
      path: fc.constantFrom(['names', 'title'], ['server', 'x', 'y'], ['stateDir']),
      value: fc.option(value, { nil: undefined }),
    }),
  ) as fc.Arbitrary<ConfigChange>

  it.each(['jsonc', 'yaml'] as const)(
    'leads to the value that was asked for, and back (%s)',
    async (format) => {
      const { stringify } = await import('yaml')
      await fc.assert(
        fc.asyncProperty(config, change, async (before, asked) => {
          const text = format === 'yaml' ? stringify(before) : `${JSON.stringify(before, undefined, 2)}\n`
          const edited = await edit(text, format, asked)
          const { value: after, errors } = await parseSource(edited, format)
          expect(errors).toEqual([])
          const path =
            asked.type === 'setTarget'
              ? ['mcpServers', asked.name]
              : (asked as unknown as { path: string[] }).path
          const at = (root: unknown) =>
            path.reduce<unknown>((part, step) => {
              return Object.hasOwn((part as object) ?? {}, step)
                ? (part as Record<string, unknown>)[step]
                : undefined
            }, root)
          expect(at(after)).toEqual(
            asked.type === 'removeTarget' || asked.type === 'renameTarget' ? undefined : asked.value,
          )
          // Everything else is as it was.
          const restored = await edit(edited, format, { type: 'set', path, value: at(before) })
          const { value: again } = await parseSource(restored, format)
          const withoutEmpty = (root: unknown) =>
            JSON.stringify(root, (key, part) => (key === 'server' ? undefined : part))
          const sorted = (root: unknown) =>
            JSON.stringify(JSON.parse(withoutEmpty(root)), Object.keys(flatKeys(root)).sort())
          expect(sorted(again)).toBe(sorted(before))
        }),
        { numRuns: 60 },
      )
    },
  )

  function flatKeys(root: unknown): Record<string, true> {
    const keys: Record<string, true> = {}
    JSON.stringify(root, (key, part) => {
      keys[key] = true
      return part
    })
    return keys
  }
})
