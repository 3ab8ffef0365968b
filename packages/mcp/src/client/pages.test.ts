import { describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { Pages } from './pages.ts'
import { scripted } from './scripted-connector.test.support.ts'

function pagesOf(...results: object[]) {
  const cursors: unknown[] = []
  const pages = new Pages<unknown>({ method: 'tools/list', member: 'tools', maxPages: 5 }, async (cursor) => {
    cursors.push(cursor)
    return results[Math.min(cursors.length, results.length) - 1] as { [key: string]: unknown }
  })
  return { pages, cursors }
}

describe('Pages', () => {
  it('follows cursors to the end; an empty one is a cursor like any other', async () => {
    const { pages, cursors } = pagesOf(
      { tools: [1], nextCursor: '' },
      { tools: [], nextCursor: 'b' },
      { tools: [2], nextCursor: null },
    )
    expect(await pages.all()).toEqual([1, 2])
    expect(cursors).toEqual([undefined, '', 'b'])
  })

  it('reads no more pages than are wanted', async () => {
    const { pages, cursors } = pagesOf({ tools: [1, 2], nextCursor: 'b' }, { tools: [3] })
    for await (const item of pages) if (item === 2) break
    expect(cursors).toHaveLength(1)
  })

  it('stops at a cursor that comes twice, and at too many pages', async () => {
    await expect(pagesOf({ tools: [], nextCursor: 'a' }).pages.all()).rejects.toMatchObject({
      code: 'cursor_loop',
    })
    let page = 0
    const endless = new Pages({ method: 'tools/list', member: 'tools', maxPages: 5 }, async () => ({
      tools: [],
      nextCursor: String(page++),
    }))
    await expect(endless.all()).rejects.toMatchObject({ code: 'cursor_loop' })
    expect(page).toBe(5)
  })

  it('takes a page of any length', async () => {
    const huge = Array.from({ length: 300_000 }, (_, index) => index)
    const pages = new Pages<number>({ method: 'tools/list', member: 'tools' }, async () => ({ tools: huge }))
    expect(await pages.all()).toHaveLength(300_000)
  })

  it('refuses a result without the list', async () => {
    await expect(pagesOf({ tool: [] }).pages.all()).rejects.toMatchObject({ code: 'bad_response' })
  })

  it('reads every kind of list of a server', async () => {
    const connector = scripted('modern', ({ request }) => {
      const member =
        { 'resources/templates/list': 'resourceTemplates' }[request.method] ?? request.method.split('/')[0]
      return { [member as string]: [{ name: request.method }] }
    })
    await using client = new Client({ connector })
    expect(await client.listTools().all()).toEqual([{ name: 'tools/list' }])
    expect(await client.listPrompts().all()).toEqual([{ name: 'prompts/list' }])
    expect(await client.listResources().all()).toEqual([{ name: 'resources/list' }])
    expect(await client.listResourceTemplates().all()).toEqual([{ name: 'resources/templates/list' }])
  })
})
