import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../../client/index.ts'
import { eras } from '../../testing/index.ts'
import {
  prompt,
  PromptBase,
  resource,
  ResourceBase,
  Server,
  template,
  TemplateBase,
  text,
  tool,
  ToolBase,
  user,
} from '../index.ts'

describe('forms', () => {
  const input = z.object({ a: z.number(), b: z.number().optional() })

  class AddNumbers extends ToolBase {
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
    for (const app of [asClass, asInstance, asValue, atRunTime]) {
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
    class HTTPFetch extends ToolBase {
      run = () => text('x')
    }
    class Named extends ToolBase {
      override name = 'own-name'
      run = () => text('x')
    }
    class Version2Thing extends ToolBase {
      run = () => text('x')
    }
    const app = new Server({ name: 's', tools: [HTTPFetch, Named, Version2Thing] })
    await eras(app, async ({ client }) => {
      const names = (await client.listTools().all()).map(({ name }) => name)
      expect(names).toEqual(['http_fetch', 'own-name', 'version2_thing'])
    })
  })

  it('prompts and resources have the same forms', async () => {
    class DailyReview extends PromptBase {
      override description = 'Reviews'
      override arguments = { day: { required: true } }
      run = ({ day }: Record<string, string>) => user(`Review ${day}`)
    }
    class TheNote extends ResourceBase {
      uri = 'note://1'
      override mimeType = 'text/plain'
      override read = () => 'a note'
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

  it('so do templates, with their completions', async () => {
    class UserNote extends TemplateBase {
      uriTemplate = 'note://{user}/{id}' as const
      override mimeType = 'text/plain'
      override complete = { user: () => ['ann', 'bob'] }
      read({ user, id }: { user: string; id: string }): string {
        return `${user} ${id}`
      }
    }
    const value = template({
      uriTemplate: 'note://{user}/{id}',
      mimeType: 'text/plain',
      complete: { user: () => ['ann', 'bob'] },
      read: ({ user, id }) => `${user} ${id}`,
    })
    const seen: unknown[] = []
    for (const templates of [[UserNote], [new UserNote()], { user_note: value }]) {
      await eras(
        new Server({ name: 's', templates: templates as (typeof UserNote)[] }),
        async ({ client }) => {
          seen.push([
            await client.listResourceTemplates().all(),
            await client.readResource('note://ann/7'),
            await client.complete(
              { type: 'ref/resource', uri: 'note://{user}/{id}' },
              { name: 'user', value: '' },
            ),
          ])
        },
      )
    }
    for (let i = 3; i < seen.length; i++) expect(seen[i]).toEqual(seen[i % 3])
    expect(seen[0]).toMatchObject([
      [{ name: 'user_note', uriTemplate: 'note://{user}/{id}' }],
      { contents: [{ text: 'ann 7' }] },
      { values: ['ann', 'bob'] },
    ])
  })

  it('`when` of a class hides its entry, and refuses it', async () => {
    const hidden = () => false
    class SecretTool extends ToolBase {
      override when = hidden
      run = () => 'x'
    }
    class SecretPrompt extends PromptBase {
      override when = hidden
      run = () => user('x')
    }
    class SecretNote extends ResourceBase {
      override when = hidden
      uri = 'secret://1'
      override read = () => 'x'
    }
    class SecretNotes extends TemplateBase {
      override when = hidden
      uriTemplate = 'secret://notes/{id}'
      read = () => 'x'
    }
    const app = new Server({
      name: 's',
      tools: [SecretTool],
      prompts: [SecretPrompt],
      resources: [SecretNote],
      templates: [SecretNotes],
    })
    await eras(app, async ({ client }) => {
      expect(await client.listTools().all()).toEqual([])
      expect(await client.listPrompts().all()).toEqual([])
      expect(await client.listResources().all()).toEqual([])
      expect(await client.listResourceTemplates().all()).toEqual([])
      await expect(client.call('secret_tool')).rejects.toThrow('secret_tool')
      await expect(client.getPrompt('secret_prompt')).rejects.toThrow('secret_prompt')
      await expect(client.readResource('secret://1')).rejects.toThrow('secret://1')
      await expect(client.readResource('secret://notes/1')).rejects.toThrow('secret://notes/1')
    })
  })

  it('classes are typed for clients, by their keys or by names that are literals', () => {
    class Named extends AddNumbers {
      override name = 'sum' as const
    }
    class Review extends PromptBase {
      override name = 'review' as const
      override arguments = { day: { required: true } } as const
      run = ({ day }: { day: string }) => user(day)
    }
    const listed = new Server({ name: 's', tools: [Named], prompts: [Review] })
    const keyed = new Server({
      name: 's',
      tools: { sum: new AddNumbers() },
      prompts: { review: new Review() },
    })
    type Sum = (args: { a: number; b?: number | undefined }, ...rest: never) => Promise<string>
    for (const app of [listed, keyed]) void app
    expectTypeOf<Client<typeof listed>['tools']['sum']>().toExtend<Sum>()
    expectTypeOf<Client<typeof keyed>['tools']['sum']>().toExtend<Sum>()
    type GetPrompt<App> = (client: Client<App>) => unknown
    const good: [GetPrompt<typeof listed>, GetPrompt<typeof keyed>] = [
      (client) => client.getPrompt('review', { day: 'Monday' }),
      (client) => client.getPrompt('review', { day: 'Monday' }),
    ]
    const bad: [GetPrompt<typeof listed>, GetPrompt<typeof keyed>] = [
      // @ts-expect-error: a required argument is missing
      (client) => client.getPrompt('review', {}),
      // @ts-expect-error: a required argument is missing
      (client) => client.getPrompt('review', {}),
    ]
    expect([...good, ...bad]).toHaveLength(4)
  })
})
