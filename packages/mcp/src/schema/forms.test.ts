import { expect, expectTypeOf, it } from 'vitest'
import { Server, tool } from '../server/index.ts'
import { connect } from '../entries/connect.ts'
import { memory } from '../transport/memory.ts'
import { choice, choices, form } from './forms.ts'

const where = form({
  region: choice({ eu: 'Europe', us: 'United States' }, { title: 'Region', default: 'eu' }),
  size: choice(['s', 'm']),
  days: choices({ mon: 'Monday', tue: 'Tuesday' }, { minItems: 1, maxItems: 2 }),
  tags: choices(['a', 'b'], { optional: true }),
})

const app = new Server({
  name: 's',
  tools: {
    ask: tool({
      run: async (_, ctx) => {
        const answer = await ctx.elicit('Where?', where)
        expectTypeOf(answer).toEqualTypeOf<{
          region: 'eu' | 'us'
          size: 's' | 'm'
          days: ('mon' | 'tue')[]
          tags?: ('a' | 'b')[]
        }>()
        return JSON.stringify(answer)
      },
    }),
  },
})

it.each(['modern', 'legacy'] as const)('asks for titled choices and for several of them, %s', async (era) => {
  const content = { region: 'us', size: 'm', days: ['tue'] }
  let requested: unknown
  await using client = await connect(memory(app), {
    era,
    elicit: {
      form: ({ requestedSchema }) => {
        requested = requestedSchema
        return { action: 'accept', content }
      },
    },
  })
  expect(JSON.parse((await client.call('ask')).text())).toEqual(content)
  expect(requested).toEqual({
    type: 'object',
    properties: {
      region: {
        type: 'string',
        title: 'Region',
        default: 'eu',
        oneOf: [
          { const: 'eu', title: 'Europe' },
          { const: 'us', title: 'United States' },
        ],
      },
      size: { type: 'string', enum: ['s', 'm'] },
      days: {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: {
          anyOf: [
            { const: 'mon', title: 'Monday' },
            { const: 'tue', title: 'Tuesday' },
          ],
        },
      },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
    required: ['region', 'size', 'days'],
  })
})

it('refuses what was not offered, with the name of the field', async () => {
  const checked = await where['~standard'].validate({ region: 'mars', size: 's', days: ['sun'] })
  expect(checked.issues?.map(({ path }) => path?.[0])).toEqual(['region', 'days[0]'])
})
