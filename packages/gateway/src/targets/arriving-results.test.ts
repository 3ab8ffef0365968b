import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ArrivingResults } from './arriving-results.ts'
import { createPooledFetch } from './pooled-fetch.ts'

const MB = 1024 * 1024

describe('ArrivingResults', () => {
  it('lets others pass one whose target has its share, and keeps the order where all have to wait', () => {
    const arriving = new ArrivingResults({ perCaller: 10, total: 20 })
    const went: string[] = []
    const enter = (name: string, origin: string, bytes: number) =>
      arriving.enter(origin, bytes, () => went.push(name))
    const first = enter('first', 'a', 10)
    const second = enter('second', 'a', 10)
    const other = enter('other', 'b', 8)
    expect(went).toEqual(['first', 'other'])
    enter('large', 'c', 10)
    enter('small', 'd', 1)
    expect(went).toEqual(['first', 'other'])
    first()
    first()
    expect(went).toEqual(['first', 'other', 'second'])
    other()
    expect(went).toEqual(['first', 'other', 'second', 'large'])
    second()
    expect(went.at(-1)).toBe('small')
    expect(arriving.held).toBe(11)
  })

  it('takes one that is larger than the limit when it is alone, and forgets one that gives up waiting', () => {
    const arriving = new ArrivingResults({ perCaller: 10, total: 20 })
    const went: string[] = []
    const large = arriving.enter('a', 100, () => went.push('large'))
    const gone = arriving.enter('b', 1, () => went.push('gone'))
    arriving.enter('c', 1, () => went.push('last'))
    gone()
    large()
    expect([went, arriving.held]).toEqual([['large', 'last'], 1])
  })
})

describe('long answers over HTTP', () => {
  it.each([true, false])('wait at their server for their places (with a length: %s)', async (hasLength) => {
    const body = Buffer.alloc(4 * MB, 'x')
    const responses: ServerResponse[] = []
    const server = createServer((_request, response) => {
      responses.push(response)
      response.writeHead(200, hasLength ? { 'content-length': body.length } : {}).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const arriving = new ArrivingResults({ perCaller: 6 * MB, total: 6 * MB })
    const fetch = createPooledFetch(arriving)
    const blocker = arriving.enter('another', 6 * MB, () => {})
    let done = 0
    const answers = Array.from({ length: 3 }, async () => {
      const { length } = await (await fetch(url, { method: 'GET' })).text()
      done++
      return length
    })
    await expect.poll(() => responses.length).toBe(3)
    // What is short comes all the same.
    expect([done, arriving.held]).toEqual([0, 6 * MB])
    blocker()
    expect(await Promise.all(answers)).toEqual([body.length, body.length, body.length])
    expect(arriving.held).toBe(0)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
