import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eras } from '../testing/index.ts'
import { prompt, Prompt, resource, Resource, Server, text, tool, Tool, user } from './index.ts'

describe('forms', () => {
  const input = z.object({ a: z.number(), b: z.number().optional() })

  class AddNumbers extends Tool<{ a: number; b?: number | undefined }> {
    override title = 'Add'
    override description = 'Adds two numbers'
    override input = input
    override annotations = { readOnlyHint: true }
    run({ a, b = 1 }: { a: number; b?: number | undefined }): string {
      return String(a + b)
    }
  }
  const value = tool({
    title: 'Add',
    description: 'Adds two numbers',
    input,
    annotations: { readOnlyHint: true },
    run: ({ a, b = 1 }) => String(a + b),
  })

  it('class, value and run-time form give the same entry and the same call', async () => {
    const asClass = new Server({ name: 's', tools: [AddNumbers] })
    const asInstance = new Server({ name: 's', tools: [new AddNumbers()] })
    const asValue = new Server({ name: 's', tools: { add_numbers: value } })
    const atRunTime = new Server({ name: 's' })
    atRunTime.tool('add_numbers', value)
    const seen: unknown[] = []
    for (const app of [asClass, asInstance, asValue, atRunTime] as Server[]) {
      await eras(app, async ({ client }) => {
        const list = await client.listTools().all()
        const call = await client.call('add_numbers', { a: 1 })
        seen.push({ list, call: call.raw })
      })
    }
    expect(seen).toHaveLength(12)
    // One of each era: the wire differs between eras, never between forms.
    for (let i = 3; i < seen.length; i++) expect(seen[i]).toEqual(seen[i % 3])
    expect(seen[0]).toMatchObject({ list: [{ name: 'add_numbers', title: 'Add' }] })
  })

  it('a class without a name gets its own in snake_case, acronyms included', async () => {
    class HTTPFetch extends Tool {
      run = () => text('x')
    }
    class Named extends Tool {
      override name = 'own-name'
      run = () => text('x')
    }
    class Version2Thing extends Tool {
      run = () => text('x')
    }
    const app = new Server({ name: 's', tools: [HTTPFetch, Named, Version2Thing] })
    await eras(app as Server, async ({ client }) => {
      const names = (await client.listTools().all()).map(({ name }) => name)
      expect(names).toEqual(['http_fetch', 'own-name', 'version2_thing'])
    })
  })

  it('prompts and resources have the same forms', async () => {
    class DailyReview extends Prompt {
      override description = 'Reviews'
      override arguments = { day: { required: true } }
      run = ({ day }: Record<string, string>) => user(`Review ${day}`)
    }
    class TheNote extends Resource {
      uri = 'note://1'
      override mimeType = 'text/plain'
      read = () => 'a note'
    }
    const forms = [
      new Server({ name: 's', prompts: [DailyReview], resources: [TheNote] }),
      new Server({
        name: 's',
        prompts: {
          daily_review: prompt({
            description: 'Reviews',
            arguments: { day: { required: true } },
            run: ({ day }) => user(`Review ${day}`),
          }),
        },
        resources: { the_note: resource({ uri: 'note://1', mimeType: 'text/plain', read: () => 'a note' }) },
      }),
    ]
    const seen: unknown[] = []
    for (const app of forms) {
      await eras(app, async ({ client }) => {
        seen.push([
          await client.listPrompts().all(),
          await client.listResources().all(),
          await client.getPrompt('daily_review', { day: 'Monday' }),
          await client.readResource('note://1'),
        ])
      })
    }
    for (let i = 3; i < 6; i++) expect(seen[i]).toEqual(seen[i % 3])
    expect(seen[0]).toMatchObject({ 0: [{ name: 'daily_review' }], 1: [{ name: 'the_note' }] })
  })
})
