import { afterEach, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { modernRequest } from '../support/raw-client.ts'
import { namedTool, scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { rawTarget } from '../support/raw-target.ts'
import { testGateway, ASKING_SERVER } from '../support/start-gateway.ts'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const c of closing.splice(0).reverse()) await c()
})
async function T(a = {}) {
  const t = await scriptedTarget(a)
  closing.push(() => t.close())
  return t
}
async function G(servers: object, config: object = {}) {
  const g = await testGateway({ mcpServers: servers, ...config })
  closing.push(() => g.close())
  return g
}
const list = async (g: any, m = 'tools/list', p = {}) => (await modernRequest(g.endpoint, m, p)).message

it('basics', async () => {
  const t = await T()
  const g = await G({ a: { url: t.url } })
  console.log(JSON.stringify(await list(g)))
  console.log(t.calls.map((c) => c.method))
})
it('cursor repeated', async () => {
  const t = await T({ 'tools/list': () => ({ tools: [namedTool('x')], nextCursor: 'same' }) })
  const g = await G({ a: { url: t.url } })
  console.log(JSON.stringify(await list(g)), t.calls.length)
})
it('10000 tools', async () => {
  const tools = Array.from({ length: 10000 }, (_, i) => namedTool(`t${i}`))
  const t = await T({ 'tools/list': () => ({ tools }) })
  const g = await G({ a: { url: t.url } })
  const s = Date.now()
  const c = await connect(g.endpoint)
  let n = 0
  for await (const _ of c.listTools()) n++
  console.log('10000:', n, Date.now() - s)
  await c.close()
})
it('odd names', async () => {
  const names = [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'x'.repeat(200),
    'x'.repeat(199) + 'y',
    '😀'.repeat(100),
    'sp ace',
    'a/b',
    'dup',
    'dup',
    'dup',
  ]
  const t = await T({ 'tools/list': () => ({ tools: names.map((n) => namedTool(n)) }) })
  const g = await G({
    a: { url: t.url },
    b: { url: t.url, prefix: false },
    c: { url: t.url, prefix: false },
    d: { url: t.url, prefix: false },
  })
  const r = await list(g)
  console.log(r.result.tools.map((x: any) => x.name))
  const c = await connect(g.endpoint)
  for (const x of r.result.tools) {
    try {
      const a = await c.call(x.name)
      if (a.text() !== x.name) console.log(x.name, '->', a.text())
    } catch (e) {
      console.log('FAIL', x.name, String(e))
    }
  }
  await c.close()
})
it('storm', async () => {
  const t = await T()
  const g = await G({ a: { url: t.url } })
  await list(g)
  await new Promise((r) => setTimeout(r, 300))
  const before = t.calls.length
  let heard = 0
  const c = await connect(g.endpoint)
  c.on('toolsChanged' as any, () => heard++)
  const end = Date.now() + 3000
  while (Date.now() < end) {
    t.announce('notifications/tools/list_changed')
    await new Promise((r) => setTimeout(r, 1))
  }
  console.log(
    'storm: list calls in 3 s',
    t.calls.filter((x, i) => i >= before && x.method === 'tools/list').length,
    'heard',
    heard,
  )
  await c.close()
})
it('one list broken', async () => {
  const t = await T({
    'prompts/list': () => ({ error: { code: -32603, message: 'db down' } }),
    'resources/list': () => ({ error: { code: -32601, message: 'none' } }),
  })
  const g = await G({ a: { url: t.url } })
  console.log(JSON.stringify(await list(g)))
})
it('uri prefixes', async () => {
  const mk = (n: string) =>
    T({
      'resources/list': () => ({ resources: [{ uri: 'x://same', name: n }] }),
      'resources/read': ({ params }: any) => ({ contents: [{ uri: params.uri, text: n }] }),
    })
  const [a, b, c] = await Promise.all([mk('A'), mk('B'), mk('C')])
  const g = await G({
    my_files: { url: a.url },
    'my-files': { url: b.url },
    '1pass': { url: c.url, resources: { exclude: ['x://secret*'] } },
  })
  const r = await list(g, 'resources/list')
  console.log(JSON.stringify(r.result.resources))
  for (const x of r.result.resources)
    console.log(
      x.uri,
      URL.canParse(x.uri),
      JSON.stringify((await list(g, 'resources/read', { uri: x.uri })).result),
    )
  console.log(JSON.stringify(await list(g, 'resources/read', { uri: '1pass+x://secret1' })))
})
it('crash after start', async () => {
  const g = await G({
    a: {
      command: process.execPath,
      args: [
        '-e',
        `let b='';process.stdin.on('data',d=>{b+=d;for(const l of b.split('\\n').slice(0,-1)){const m=JSON.parse(l);if(m.method==='initialize')console.log(JSON.stringify({jsonrpc:'2.0',id:m.id,result:{protocolVersion:m.params.protocolVersion,capabilities:{tools:{}},serverInfo:{name:'x',version:'1'}}}));if(m.method==='notifications/initialized')process.exit(1)}b=b.slice(b.lastIndexOf('\\n')+1)})`,
      ],
      era: 'legacy',
      restart: { minDelay: 50, maxDelay: 10000, quarantineAfter: 5, quarantineFor: '1h' },
    },
  })
  await new Promise((r) => setTimeout(r, 5000))
  const m = g.gateway.target('a')!.main
  console.log('starts', m.starts, m.state, m.reason, m.failures)
})
