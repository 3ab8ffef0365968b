import { createServer, type Server } from 'node:http'
import dns from 'node:dns'
import type { AddressInfo } from 'node:net'
import { PlainExchange } from '@gantry/mcp/exchange'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOpenApiTarget } from './open-api-target.ts'

let server: Server
let port: number
let asked: string[]
let description: unknown
let redirect: string | undefined

/** Every name of `.example` is this machine. Hosts are told apart by the Host header. */
beforeEach(async () => {
  asked = []
  redirect = undefined
  server = createServer((request, response) => {
    asked.push(`${request.headers.host?.split(':')[0]}${request.url}`)
    if (redirect && request.url !== '/inner') return response.writeHead(302, { location: redirect }).end()
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify(description))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  description = api(`http://inner.example:${port}`)
  vi.spyOn(dns, 'lookup').mockImplementation(((
    _: string,
    options: { all?: boolean },
    done: (...found: unknown[]) => void,
  ) =>
    options.all
      ? done(null, [{ address: '127.0.0.1', family: 4 }])
      : done(null, '127.0.0.1', 4)) as unknown as typeof dns.lookup)
})

afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function api(url: string) {
  const get = { operationId: 'get', responses: { 200: { description: 'ok' } } }
  return {
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    servers: [{ url }],
    paths: { '/inner': { get } },
  }
}

async function call(options: Parameters<typeof createOpenApiTarget>[0]): Promise<string> {
  const target = await createOpenApiTarget(options)
  const client = { info: { name: 'c', version: '1' }, capabilities: {}, version: '2026-07-28' } as const
  const outcome = await target.handle(
    new PlainExchange({ method: 'tools/call', params: { name: 'get', arguments: {} }, client }),
  )
  target.close()
  return JSON.stringify(outcome)
}

describe('a description from the network', () => {
  it('does not send calls to a name inside the network', async () => {
    const outcome = await call({ document: `http://docs.example:${port}/openapi.json` })
    expect(outcome).toMatch(/OUT_OF_REACH.*trustedHosts/)
    expect(asked).toEqual(['docs.example/openapi.json'])
  })

  it('does not send calls to an address inside the network', async () => {
    description = api(`http://127.0.0.1:${port}`)
    const outcome = await call({ document: `http://docs.example:${port}/openapi.json` })
    expect(outcome).toContain('OUT_OF_REACH')
    expect(asked).toEqual(['docs.example/openapi.json'])
  })

  it.each([
    ['the operator trusts the host', { trustedHosts: ['inner.example'] }],
    ['the operator wrote its address', { baseUrl: 'inner' }],
  ])('sends them when %s', async (_, extra) => {
    const baseUrl = 'baseUrl' in extra ? { baseUrl: `http://inner.example:${port}` } : {}
    await call({ document: `http://docs.example:${port}/openapi.json`, ...extra, ...baseUrl })
    expect(asked).toEqual(['docs.example/openapi.json', 'inner.example/inner'])
  })

  it.each(['inner.example', '127.0.0.1'])('is not fetched through a redirect to %s', async (host) => {
    redirect = `http://${host}:${port}/inner`
    await expect(call({ document: `http://docs.example:${port}/openapi.json` })).rejects.toThrow(
      /inside the network/,
    )
    expect(asked).toEqual(['docs.example/openapi.json'])
  })
})

describe('an API', () => {
  it('does not redirect calls into the network', async () => {
    redirect = `http://127.0.0.1:${port}/inner`
    const document = api(`http://api.example:${port}/x`)
    expect(await call({ document, redirects: 'any' })).toContain('OUT_OF_REACH')
    expect(asked).toEqual(['api.example/x/inner'])
  })
})
