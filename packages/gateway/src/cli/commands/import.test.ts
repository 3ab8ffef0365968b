import { afterEach, describe, expect, it } from 'vitest'
import { createHousehold, type Household } from '../../config/import/household.test.support.ts'
import { run } from '../captured-io.test.support.ts'

let house: Household | undefined
afterEach(async () => {
  await house?.remove()
  house = undefined
})

describe('gantry import', () => {
  it('shows what it would do, without secrets, and writes nothing', async () => {
    house = await createHousehold('linux')
    const before = await house.snapshot()
    const { code, out, err } = await run(house.places, ['import'])
    expect([code, err]).toEqual([0, ''])
    expect(await house.snapshot()).toEqual(before)
    expect(out).toContain('Claude Desktop')
    expect(out).toContain('+ github → github-claude-code  "github" is another server: ')
    expect(out).toContain('= everything                                       it is there already')
    expect(out).toContain(
      '- broken                                           it names neither a command nor a URL',
    )
    expect(out).toContain(
      'note ${input:api-key} was asked for by the editor; set the environment variable API_KEY',
    )
    expect(out).toContain('gantry.jsonc (new)')
    expect(out).toContain('+        "GITHUB_TOKEN": "•••••••••••"')
    expect(out).toContain('Nothing is written yet. Add --apply')
    expect(out).not.toMatch(/ghp_desktop|secret-plain/)
  })

  it('applies, points and undoes', async () => {
    house = await createHousehold('darwin')
    const before = await house.snapshot()
    const applied = await run(house.places, ['import', '--apply', '--point'])
    expect(applied.code).toBe(0)
    expect(applied.out).toContain('✓ Wrote these 7 files. Copies are in ')
    expect(applied.out).not.toMatch(/ghp_desktop|secret-plain/)
    expect(await house.read(house.files.cursor!)).toContain('http://127.0.0.1:7332/mcp')
    expect((await run(house.places, ['import', '--point'])).out).toContain('Nothing to do')
    const undone = await run(house.places, ['import', '--undo'])
    expect(undone.out.match(/as it was before/g)).toHaveLength(6)
    const after = await house.snapshot()
    for (const [file, text] of Object.entries(before)) expect(after[file], file).toBe(text)
    expect((await run(house.places, ['import', '--undo'])).code).toBe(1)
  })

  it('speaks JSON', async () => {
    house = await createHousehold('win32')
    const { json, code, out } = await run(house.places, [
      'import',
      'cursor',
      'mcp-json',
      '--to',
      'new.yaml',
      '--json',
    ])
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      ok: true,
      applied: false,
      sources: [
        { client: 'cursor', scope: 'user' },
        { client: 'cursor', scope: 'project' },
        { client: 'mcp-json' },
      ],
      changes: [{ role: 'config' }],
    })
    expect(json().servers).toContainEqual(
      expect.objectContaining({
        name: 'notes',
        client: 'cursor',
        outcome: 'added',
        as: 'notes',
        path: ['mcpServers'],
      }),
    )
    expect(out).not.toContain('secret-plain')
  })

  it('says what is missing', async () => {
    house = await createHousehold('linux')
    const nothing = {
      ...house.places,
      home: `${house.places.home}/nobody`,
      cwd: `${house.places.home}/nobody`,
    }
    expect((await run(nothing, ['import'])).out).toContain('No client has a configuration here.')
    expect((await run(nothing, ['import', 'cursor'])).out).toContain(
      'note Cursor has no configuration here (looked for',
    )
    const missing = await run(house.places, ['import', '--from', 'nope.json'])
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('nope.json does not exist')])
  })
})
