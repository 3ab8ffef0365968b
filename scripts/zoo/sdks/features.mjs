/** What is tried, in this order, by our client and by those of others. Each returns nothing, or says what is wrong. */
export const FEATURES = {
  list: async ({ client }) => {
    const tools = await all(client.listTools())
    return expectIn(
      tools.map(({ name }) => name),
      'echo',
    )
  },
  echo: async ({ client }) => expect((await client.call('echo', { text: 'grüße 🦓' })).text(), 'grüße 🦓'),
  structured: async ({ client }) =>
    expect((await client.call('add', { a: 2, b: 3 })).raw.structuredContent?.sum, 5),
  error: async ({ client }) => expect((await client.call('fail')).raw.isError, true),
  progress: async ({ client }) => {
    const steps = []
    await client.call('progress', {}, { onProgress: ({ progress }) => steps.push(progress) })
    return expect(steps.join(), '1,2,3')
  },
  log: async ({ client }) => {
    const lines = []
    await client.call('log', {}, { onLog: ({ data }) => lines.push(data), logLevel: 'debug' })
    return expectIn(JSON.stringify(lines), 'a line')
  },
  elicit: async ({ client }) => expect((await client.call('ask')).text(), 'Hello, Ada'),
  'elicit-live': async ({ client }) => expect((await client.call('ask_live')).text(), 'Hello, Ada'),
  sample: async ({ client }) => expectIn((await client.call('sample')).text(), 'zebra'),
  roots: async ({ client }) => expectIn((await client.call('roots')).text(), 'file:///zoo'),
  read: async ({ client }) => {
    const resources = await all(client.listResources())
    const one = resources.find(({ name, uri }) => name === 'one' || uri.endsWith('//one'))
    return expect((await client.readResource(one.uri)).contents[0].text, 'note one')
  },
  template: async ({ client }) => {
    const [template] = await all(client.listResourceTemplates())
    const uri = template.uriTemplate.replace('{name}', 'two')
    return expect((await client.readResource(uri)).contents[0].text, 'note two')
  },
  updated: async ({ client }) => {
    const resources = await all(client.listResources())
    const { uri } = resources.find(({ name, uri }) => name === 'one' || uri.endsWith('//one'))
    const updated = next(client, 'resourceUpdated')
    const subscription = await client.subscribe(uri)
    await client.call('touch')
    const seen = await updated
    subscription.close()
    return expect(seen?.uri, uri)
  },
  prompt: async ({ client }) => {
    await all(client.listPrompts())
    return expect((await client.getPrompt('greet', { name: 'Ada' })).messages[0].content.text, 'Greet Ada')
  },
  complete: async ({ client }) => {
    const { values } = await client.complete(
      { type: 'ref/prompt', name: 'greet' },
      { name: 'name', value: 'A' },
    )
    return expect([...values].sort().join(), 'Ada,Alan')
  },
  changed: async ({ client }) => {
    const changed = next(client, 'toolsChanged')
    await client.listening()
    await client.call('grow')
    await changed
    const tools = await all(client.listTools({ fresh: true }))
    return tools.some(({ name }) => name.startsWith('grown')) ? undefined : 'the new tool is not listed'
  },
  cancel: async ({ client }) => {
    const before = (await client.call('cancelled')).text()
    await client.call('slow', {}, { signal: AbortSignal.timeout(700) }).then(
      () => undefined,
      () => undefined,
    )
    for (let tries = 0; tries < 30; tries += 1) {
      if ((await client.call('cancelled')).text() !== before) return undefined
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return 'the tool was not told'
  },
  big: async ({ client }) =>
    expectIn((await client.call('big', { value: 9_007_199_254_740_993n })).text(), '9007199254740993'),
  image: async ({ client }) => expect((await client.call('image')).raw.content[0].mimeType, 'image/png'),
}

/** How long a feature may take. */
export const PATIENCE = 15_000

export const ANSWERS = {
  elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  sample: () => ({
    role: 'assistant',
    content: { type: 'text', text: 'zebra' },
    model: 'zoo',
    stopReason: 'endTurn',
  }),
  roots: [{ uri: 'file:///zoo', name: 'zoo' }],
}

async function all(items) {
  const found = []
  for await (const item of items) found.push(item)
  return found
}

function next(client, event) {
  return new Promise((resolve) => {
    const off = client.on(event, (value) => {
      off()
      resolve(value)
    })
  })
}

const expect = (seen, wanted) =>
  seen === wanted ? undefined : `${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`
const expectIn = (seen, wanted) =>
  seen.includes(wanted) ? undefined : `${JSON.stringify(seen)} without ${JSON.stringify(wanted)}`
