import { afterAll, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { modernRequest } from '../support/raw-client.ts'
import { modelOf, testGateway } from '../support/start-gateway.ts'

const DESK = { name: 'desk', key: 'key-of-the-desk-in-the-test' }
const OTHER = { name: 'other', key: 'key-of-another-in-the-test' }
const as = ({ key }: { key: string }) => ({ headers: { authorization: `Bearer ${key}` } })

const github = new Server({
  name: 'github',
  tools: { issue_list: tool({ run: () => 'none' }), repo_delete: tool({ run: () => 'gone' }) },
})
const CONFIG = {
  mcpServers: { github: { module: 'github' } },
  auth: { apiKeys: [DESK, OTHER] },
  views: {
    support: {
      use: ['github/issue_*'],
      who: { apiKeys: ['desk'] },
      tools: { 'github/issue_list': { name: 'open_issues' } },
    },
  },
}
const gateway = await testGateway(CONFIG, { embedded: new Map([['github', github]]) })
const clients: Client[] = []
afterAll(async () => {
  for (const client of clients) await client.close()
  await gateway.close()
})

async function open(era: 'legacy' | 'modern'): Promise<Client> {
  const client = await connect(http(`${gateway.url}/mcp/support`, as(DESK)), {
    era,
  })
  clients.push(client)
  return client
}

async function names(client: Client): Promise<string[]> {
  const found: string[] = []
  for await (const one of client.listTools()) found.push(one.name)
  return found
}

describe.each(['legacy', 'modern'] as const)('a view, for a %s client', (era) => {
  it('is an endpoint with its own tools', async () => {
    const client = await open(era)
    expect(await names(client)).toContain('open_issues')
    expect((await names(client)).filter((name) => name.includes('repo'))).toEqual([])
    expect((await client.call('open_issues')).text()).toBe('none')
    await expect(client.call('github_repo_delete')).rejects.toThrow('Unknown tool')
  })

  it('announces changes of what it uses, and of nothing else', async () => {
    const client = await open(era)
    let heard = 0
    client.on('toolsChanged', () => heard++)
    await client.listening()
    await names(client)
    const tools = () => gateway.gateway.catalog.merged.merged.tools
    github.tool(`repo_${era}`, { run: () => '' })
    await expect.poll(() => tools().has(`github_repo_${era}`)).toBe(true)
    github.tool(`issue_${era}`, { run: () => '' })
    await expect.poll(() => heard).toBeGreaterThan(0)
    expect(heard).toBe(1)
    expect(await names(client)).toContain(`github_issue_${era}`)
  })
})

describe('a view', () => {
  it('does not exist for those who may not use it', async () => {
    const answer = (path: string) => modernRequest(`${gateway.url}${path}`, 'tools/list', {}, as(OTHER))
    const [view, nothing] = [await answer('/mcp/support'), await answer('/mcp/nothing')]
    expect(view.status).toBe(404)
    expect({ status: view.status, text: view.text }).toEqual({ status: nothing.status, text: nothing.text })
  })

  it('comes and goes with the configuration', async () => {
    const status = async () =>
      (await modernRequest(`${gateway.url}/mcp/support`, 'tools/list', {}, as(DESK))).status
    await gateway.gateway.apply(await modelOf({ ...CONFIG, views: {} }))
    expect(await status()).toBe(404)
    await gateway.gateway.apply(await modelOf(CONFIG))
    expect(await status()).toBe(200)
  })
})
