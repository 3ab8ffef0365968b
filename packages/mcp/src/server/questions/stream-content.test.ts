import { expect, it } from 'vitest'
import type { ContentBlock } from '../../protocol/index.ts'
import { eras } from '../../testing/index.ts'
import { image, Server, tool } from '../index.ts'

async function* write(): AsyncGenerator<string | ContentBlock> {
  yield 'Once '
  yield 'upon a time'
  yield image(new Uint8Array([1]), 'image/png')
  yield 'The end'
}
const whole = [
  { type: 'text', text: 'Once upon a time' },
  { type: 'image', data: 'AQ==', mimeType: 'image/png' },
  { type: 'text', text: 'The end' },
]
const app = new Server({
  name: 's',
  tools: {
    story: tool({ run: async (_args, ctx) => ctx.stream(write()) }),
    list: tool({
      run: async (_args, ctx) => {
        await ctx.progress(10, 20)
        return ctx.stream(['a', '', 'b'])
      },
    }),
    asking: tool({
      run: async (_args, ctx) => ((await ctx.confirm('Sure?')) ? ctx.stream(['yes ', 'indeed']) : 'no'),
    }),
  },
})

it('a client that takes pieces gets each as it comes, and the whole at the end', async () => {
  await eras(app, async ({ client }) => {
    const pieces: unknown[] = []
    const progress: number[] = []
    const result = await client.call(
      'story',
      {},
      {
        onContent: (content) => pieces.push(content),
        onProgress: (one) => progress.push(one.progress),
      },
    )
    expect(result.raw.content).toEqual(whole)
    expect(pieces).toEqual([
      { type: 'text', text: 'Once ' },
      { type: 'text', text: 'upon a time' },
      whole[1],
      whole[2],
    ])
    expect(progress).toEqual([1, 2, 3, 4])
  })
})

it('one that does not is told of the progress, without the pieces', async () => {
  await eras(app, async ({ client, traffic }) => {
    const result = await client.call('story')
    expect(result.raw.content).toEqual(whole)
    const told = traffic.filter(({ text }) => text.includes('notifications/progress'))
    expect(told.length).toBe(4)
    expect(told.some(({ text }) => text.includes('Once'))).toBe(false)
  })
})

it('goes on from the progress that was told before, and after questions', async () => {
  await eras(app, async ({ client, answers }) => {
    const pieces: string[] = []
    const onContent = (content: ContentBlock) => pieces.push((content as { text: string }).text)
    expect((await client.call('list', {}, { onContent })).text()).toBe('ab')
    answers.accept()
    expect((await client.call('asking', {}, { onContent })).text()).toBe('yes indeed')
    expect(pieces).toEqual(['a', 'b', 'yes ', 'indeed'])
  })
})

it('is an event of client.stream()', async () => {
  await eras(app, async ({ client }) => {
    const texts: string[] = []
    for await (const event of client.stream('list')) {
      if (event.type === 'content' && event.content.type === 'text') texts.push(event.content.text)
    }
    expect(texts).toEqual(['a', 'b'])
  })
})

it('stops taking from its source when the caller gives up', async () => {
  let isReleased = false
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        yield 'more '
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    } finally {
      isReleased = true
    }
  }
  const long = new Server({
    name: 's',
    tools: { long: tool({ run: async (_args, ctx) => ctx.stream(endless()) }) },
  })
  await eras(long, async ({ client }) => {
    isReleased = false
    const abort = new AbortController()
    const call = client.call('long', {}, { signal: abort.signal, onContent: () => abort.abort() })
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(() => isReleased).toBe(true)
  })
})
