import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminGateway, type AdminGateway } from '../support/admin-gateway.ts'
import { DIST, ensureBuilt } from './support/built-console.ts'

let gateway: AdminGateway
let assets: string[]

beforeAll(async () => {
  await ensureBuilt()
  gateway = await adminGateway({ mcpServers: {} })
  const index = await readFile(join(DIST, 'index.html'), 'utf8')
  assets = [...index.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, path]) => path!)
})

afterAll(() => gateway?.close())

/** Without `fetch`, which decompresses and keeps quiet about it. */
function load(path: string, encoding?: string) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const headers = encoding === undefined ? {} : { 'accept-encoding': encoding }
      get(`${gateway.url}/console/${path}`, { headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      }).on('error', reject)
    },
  )
}

describe('the files of the console', () => {
  it('come compressed as the browser likes it, and are kept for ever', async () => {
    expect(assets.length).toBeGreaterThan(1)
    const script = assets.find((path) => path.endsWith('.js'))!
    const plain = await readFile(join(DIST, script))
    const cases: [string | undefined, string | undefined, (body: Buffer) => Buffer][] = [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
      ['GZIP', 'gzip', gunzipSync],
      ['identity', undefined, (body) => body],
      [undefined, undefined, (body) => body],
    ]
    for (const [accepted, used, unpack] of cases) {
      const { status, headers, body } = await load(script, accepted)
      expect([status, headers['content-encoding'], headers.vary]).toEqual([200, used, 'accept-encoding'])
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
      expect(Number(headers['content-length'])).toBe(body.length)
      expect(unpack(body).equals(plain)).toBe(true)
    }
  })

  it('are missing when they are missing, while every page has an address', async () => {
    for (const path of ['assets/index-gone.js', 'assets/', 'assets/..%2f..%2f..%2fpackage.json']) {
      const { status, headers, body } = await load(path, 'br')
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json'])
      expect(body.toString()).toContain('Load the page again')
      expect(headers['cache-control']).toBe('no-store')
    }
    const page = await load('targets/anything')
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['cache-control']).toBe('no-cache')
    expect(page.body.toString()).toContain('<div id="root">')
  })

  it('are at most 200 KB for the first page, with the weaker compression', async () => {
    const files = await Promise.all(['', ...assets].map((path) => load(path, 'gzip')))
    const bytes = files.map(({ body }) => body.length).reduce((sum, size) => sum + size, 0)
    console.info(`first page: ${(bytes / 1024).toFixed(0)} KB in ${files.length} files, gzipped`)
    expect(bytes).toBeLessThan(200 * 1024)
    // Half as much again, and slower: what a build for development has.
    const scripts = await Promise.all(assets.map((path) => readFile(join(DIST, path), 'utf8')))
    expect(scripts.join()).not.toContain('Encountered two children with the same key')
  })
})
