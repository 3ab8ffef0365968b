import { describe, expect, it } from 'vitest'
import { everywhere } from '../../testing/fixtures/both-eras.test.support.ts'
import {
  assistant,
  audio,
  embeddedResource,
  image,
  prompt,
  promptResult,
  resourceLink,
  Server,
  text,
  tool,
  user,
} from '../index.ts'

describe('builders', () => {
  const bytes = new Uint8Array([0, 255, 16])
  it('content serialises to the specified shape', () => {
    const annotations = { audience: ['user' as const], priority: 1 }
    expect(JSON.parse(JSON.stringify(text('x', { annotations })))).toEqual({
      type: 'text',
      text: 'x',
      annotations,
    })
    expect(JSON.parse(JSON.stringify(image(bytes, 'image/png')))).toEqual({
      type: 'image',
      data: 'AP8Q',
      mimeType: 'image/png',
    })
    expect(JSON.parse(JSON.stringify(audio('AP8Q', 'audio/wav', { _meta: { a: 1 } })))).toEqual({
      type: 'audio',
      data: 'AP8Q',
      mimeType: 'audio/wav',
      _meta: { a: 1 },
    })
    expect(JSON.parse(JSON.stringify(resourceLink({ uri: 'r://1', name: 'r' })))).toEqual({
      type: 'resource_link',
      uri: 'r://1',
      name: 'r',
    })
    expect(JSON.parse(JSON.stringify(embeddedResource({ uri: 'r://1', text: 'x' })))).toEqual({
      type: 'resource',
      resource: { uri: 'r://1', text: 'x' },
    })
    expect(user('hi')).toEqual({ role: 'user', content: { type: 'text', text: 'hi' } })
    expect(assistant(text('hi'))).toMatchObject({ role: 'assistant', content: { type: 'text', text: 'hi' } })
    expect(promptResult([user('hi')], 'A prompt')).toEqual({
      description: 'A prompt',
      messages: [user('hi')],
    })
  })

  it('content travels in every revision, as the nearest thing that the revision has', async () => {
    const blocks = [
      text('t'),
      image(bytes, 'image/png'),
      audio(bytes, 'audio/wav'),
      resourceLink({ uri: 'r://1', name: 'r' }),
      embeddedResource({ uri: 'r://1', text: 'x' }),
    ]
    const app = new Server({
      name: 's',
      tools: { t: tool({ run: () => blocks }) },
      prompts: {
        p: prompt({
          run: () =>
            promptResult(
              blocks.map((block) => user(block)),
              'Five',
            ),
        }),
      },
    })
    await everywhere(app, async ({ client, revision }) => {
      const types = ((await client.call('t')).raw.content as { type: string }[]).map((block) => block.type)
      const expected = [
        'text',
        'image',
        revision < '2025-03-26' ? 'resource' : 'audio',
        revision < '2025-06-18' ? 'text' : 'resource_link',
        'resource',
      ]
      expect(types).toEqual(expected)
      const result = await client.getPrompt('p')
      expect(result.description).toBe('Five')
      expect(result.messages.map(({ content }) => content.type)).toEqual(expected)
    })
  })
})
