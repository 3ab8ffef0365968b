import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { Server, tool } from '../server/index.ts'
import { until } from '../testing/fixtures/raw-peer.test.support.ts'
import { connect } from '../entries/client.ts'
import { toFetchHandler } from '../entries/server.ts'
import { toNodeHandler } from '../entries/server.node.ts'

function createApp(): Server {
  return new Server({
    name: 'mounted',
    tools: {
      echo: tool({ run: ({ text }) => String(text) }),
      report: tool({
        run: async (_args, ctx) => {
          await ctx.progress(1, 2)
          return `sure: ${await ctx.confirm('Sure?')}`
        },
      }),
      flood: tool({
        run: async (_args, ctx) => {
          while (!ctx.signal.aborted) {
            await ctx.log('error', 'x'.repeat(100_000))
            await new Promise((resolve) => setImmediate(resolve))
          }
          flooded = true
          return ''
        },
      }),
    },
  }) as Server
}
let flooded = false

/** Each mount in one line, and how to end it. */
const mounts: Record<string, (app: Server) => Promise<{ url: string; close(): unknown }>> = {
  async 'node:http'(app) {
    const server = createServer(toNodeHandler(app))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
      close: () => server.closeAllConnections(),
    }
  },
  async express(app) {
    const host = express().use('/mcp', toNodeHandler(app))
    const server = host.listen(0, '127.0.0.1')
    await until(() => server.listening)
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
      close: () => server.closeAllConnections(),
    }
  },
  async 'express with express.json()'(app) {
    const host = express().use(express.json()).use('/api/mcp', toNodeHandler(app))
    const server = host.listen(0, '127.0.0.1')
    await until(() => server.listening)
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/mcp`,
      close: () => server.closeAllConnections(),
    }
  },
  async fastify(app) {
    const handler = toNodeHandler(app)
    const host = fastify()
    host.removeAllContentTypeParsers()
    host.addContentTypeParser('*', (_request, _payload, done) => done(null))
    host.all('/mcp', (request, reply) => {
      reply.hijack()
      handler(request.raw, reply.raw)
    })
    return {
      url: `${await host.listen({ port: 0, host: '127.0.0.1' })}/mcp`,
      close: () => host.server.closeAllConnections(),
    }
  },
  async hono(app) {
    const handler = toFetchHandler(app)
    const host = new Hono().all('/mcp', (c) => handler(c.req.raw))
    const server = serve({ fetch: host.fetch, port: 0, hostname: '127.0.0.1' })
    await until(() => server.address() !== null)
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      close: () => (server as import('node:http').Server).closeAllConnections(),
    }
  },
}

describe.each(Object.keys(mounts))('mounted in %s', (name) => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'calls, progress and questions work at %s',
    async (version) => {
      const mounted = await mounts[name]!(createApp())
      try {
        await using client = await connect(mounted.url, {
          protocolVersion: version,
          elicit: () => ({ action: 'accept', content: {} }),
        })
        expect((await client.call('echo', { text: 'hi' })).text()).toBe('hi')
        const steps: number[] = []
        const report = await client.call('report', {}, { onProgress: ({ progress }) => steps.push(progress) })
        expect(report.text()).toBe('sure: true')
        expect(steps[0]).toBe(1)
      } finally {
        mounted.close()
      }
    },
  )
})

it('a reader that never reads is cut off, and its request cancelled', async () => {
  const server = createServer(toNodeHandler(createApp(), { limits: { stallTimeout: 300 } }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  flooded = false
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'debug',
  }
  const sent = httpRequest(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'flood',
    },
  })
  sent.on('response', (response) => response.pause())
  sent.on('error', () => {})
  sent.end(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'flood', _meta: meta } }),
  )
  await until(() => flooded, 'the flood to be cut off')
  sent.destroy()
  server.closeAllConnections()
  server.close()
})
