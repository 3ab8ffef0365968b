import { describe, expect, it } from 'vitest'
import { eras } from '../../testing/index.ts'
import { everywhere } from '../../testing/fixtures/both-eras.test.support.ts'
import { RawPeer } from '../../testing/fixtures/raw-peer.test.support.ts'
import { resource, Server, template, UriTemplate } from '../index.ts'
import { cpuTime } from '../../testing/fixtures/cpu-time.test.node.ts'

describe('resources', () => {
  it('static text and bytes are listed without them and read back with them', async () => {
    const app = new Server({
      name: 's',
      resources: [
        resource({ uri: 'file:///a/report.txt', mimeType: 'text/plain', text: 'hello' }),
        resource({ uri: 'img://logo', name: 'logo', blob: new Uint8Array([0, 255, 16]) }),
        resource({ uri: 'x:y', blob: 'AP8Q' }),
      ],
    })
    await everywhere(app, async ({ client }) => {
      expect(await client.listResources().all()).toEqual([
        { uri: 'file:///a/report.txt', name: 'report.txt', mimeType: 'text/plain' },
        { uri: 'img://logo', name: 'logo' },
        { uri: 'x:y', name: 'y' },
      ])
      expect((await client.readResource('file:///a/report.txt')).contents).toEqual([
        { uri: 'file:///a/report.txt', mimeType: 'text/plain', text: 'hello' },
      ])
      expect((await client.readResource('img://logo')).contents).toEqual([
        { uri: 'img://logo', blob: 'AP8Q' },
      ])
      expect((await client.readResource('x:y')).contents).toEqual([{ uri: 'x:y', blob: 'AP8Q' }])
    })
  })

  it('resourcesReadHandler receives the params, and undefined means not found', async () => {
    const seen: unknown[] = []
    const app = new Server({
      name: 's',
      resourcesReadHandler: (params) => {
        seen.push(params.uri)
        return params.uri === 'any://1' ? 'found' : undefined
      },
    })
    await eras(app, async ({ client }) => {
      expect((await client.readResource('any://1')).contents).toEqual([{ uri: 'any://1', text: 'found' }])
      await expect(client.readResource('any://2')).rejects.toMatchObject({ data: { uri: 'any://2' } })
      expect(await client.listResources().all()).toEqual([])
    })
    expect(seen).toEqual(['any://1', 'any://2', 'any://1', 'any://2', 'any://1', 'any://2'])
  })

  it('a resource without content, or with two kinds of it, throws at definition', () => {
    expect(() => new Server({ name: 's' }).resource({ uri: 'a:b' })).toThrow(/needs one of/)
    expect(() => new Server({ name: 's' }).resource({ uri: 'a:b', text: '', blob: '' })).toThrow(
      /needs one of/,
    )
    expect(() => new Server({ name: 's' }).resource({ uri: '', text: '' })).toThrow(/uri/)
  })

  it('templates match, decode, and hand their variables and the URI to the handler', async () => {
    const app = new Server({
      name: 's',
      templates: [
        template({
          uriTemplate: 'db://{table}/{id}{?format,lang}',
          mimeType: 'application/json',
          read: (variables, { uri }) => JSON.stringify({ ...variables, uri }),
        }),
        template({ uriTemplate: 'file:///{+path}', name: 'files', read: ({ path }) => String(path) }),
      ],
    })
    await everywhere(app, async ({ client }) => {
      const [row] = (await client.readResource('db://caf%C3%A9/7?format=x%20y')).contents
      expect(JSON.parse(row!.text!)).toEqual({
        table: 'café',
        id: '7',
        format: 'x y',
        uri: 'db://caf%C3%A9/7?format=x%20y',
      })
      expect(row!.mimeType).toBe('application/json')
      expect((await client.readResource('file:///a/b/c.txt')).contents[0]!.text).toBe('a/b/c.txt')
      await expect(client.readResource('db://a/b/c')).rejects.toThrow()
      await expect(client.readResource('db://a/%E0%A4')).rejects.toThrow()
      const names = (await client.listResourceTemplates().all()).map(({ name }) => name)
      expect(names).toEqual(['db', 'files'])
    })
  })
})

it.each([
  ['note://café/a b', 'note://caf%C3%A9/a%20b', 'café a b'],
  ['note://x/{y}', 'note://x/%7By%7D', 'x {y}'],
  ['note://x/50%', 'note://x/50%25', 'x 50%'],
])('answers %s with a URI, whatever was asked with', async (asked, uri, text) => {
  const templates = [
    template({ uriTemplate: 'note://{name}/{part}', read: ({ name, part }) => `${name} ${part}` }),
  ]
  const peer = new RawPeer(new Server({ name: 's', templates }))
  const { result } = await peer.modern('resources/read', { uri: asked })
  expect(result).toMatchObject({ contents: [{ uri, text }] })
  const lone = await peer.modern('resources/read', { uri: 'note://x/\ud800' })
  expect(lone).toMatchObject({ error: { code: -32602 } })
  peer.close()
})

describe('URI templates', () => {
  // RFC 6570, section 3.2: the examples of the specification.
  const values = {
    count: ['one', 'two', 'three'],
    dom: ['example', 'com'],
    dub: 'me/too',
    hello: 'Hello World!',
    half: '50%',
    var: 'value',
    who: 'fred',
    base: 'http://example.com/home/',
    path: '/foo/bar',
    list: ['red', 'green', 'blue'],
    keys: { semi: ';', dot: '.', comma: ',' },
    v: '6',
    x: '1024',
    y: '768',
    empty: '',
    undef: undefined,
  }
  it.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['{var:3}', 'val'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['{+path}/here', '/foo/bar/here'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['{.who}', '.fred'],
    ['X{.var:3}', 'X.val'],
    ['{.dom*}', '.example.com'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;list*}', ';list=red;list=green;list=blue'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{&var:3}', '&var=val'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
  ])('%s expands to %s', (pattern, expected) => {
    expect(new UriTemplate(pattern).expand(values)).toBe(expected)
  })

  it.each([
    ['note://{id}', 'note://7', { id: '7' }],
    ['note://{id}', 'note://a/b', undefined],
    ['note://{id}', 'Note://7', undefined],
    ['a{/x*}', 'a/1/2', { x: ['1', '2'] }],
    ['s{?q,r}', 's?q=1&r=2', { q: '1', r: '2' }],
    ['s{?q,r}', 's?r=2', { r: '2' }],
    ['s{?q,r}', 's', {}],
    ['f:{+p}.txt', 'f:a/b.txt', { p: 'a/b' }],
    ['x:{__proto__}', 'x:1', JSON.parse('{"__proto__":"1"}')],
  ])('%s against %s', (pattern, uri, expected) => {
    const found = new UriTemplate(pattern).match(uri)
    expect(found && { ...found }).toEqual(expected)
  })

  it.each(['{', '}', '{}', '{a', 'a}', '{a b}', '{a:0}', '{|a}', '{+a}{+b}{+c}{+d}{+e}'])(
    '%s is not a template',
    (pattern) => {
      expect(() => new UriTemplate(pattern)).toThrow(/Invalid URI template/)
    },
  )

  it.each([
    'x:{+a}/{+b}',
    'x:{+a}/{+b}/{+c}',
    'x:{+a}/{+b}/{+c}/{+d}',
    'x:{a}{b}{c}z',
    'x:{/a*}z',
    'x:{+a}z',
  ])('%s cannot be made to match slowly', (pattern) => {
    const parsed = new UriTemplate(pattern)
    const started = cpuTime()
    for (const length of [100, 500, 4000, 8180, 100_000]) {
      for (const piece of ['/', 'a', 'a/', ',']) parsed.match(`x:${piece.repeat(length / piece.length)} `)
    }
    expect(cpuTime() - started).toBeLessThan(1_500)
  })
})
