import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { HOSTILE_TARGETS, rawRequest } from '../../testing/fixtures/raw-requests.test.node.ts'
import { oauthError } from '../http/oauth-error.ts'
import { loopbackRedirect, openBrowser } from './loopback-redirect.node.ts'
import type { Redirect } from '../oauth-options.ts'

let redirect: Redirect
afterEach(() => redirect.close?.())

async function uriOf({ uri }: Redirect): Promise<string> {
  return typeof uri === 'function' ? uri() : uri
}

const quiet = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const signal = new AbortController().signal
const page = (state: string): string => `https://auth.example.com/authorize?state=${state}`

describe('loopbackRedirect', () => {
  it('takes the answer on a free port, tells the user, and is gone afterwards', async () => {
    const opened: string[] = []
    redirect = loopbackRedirect({ open: (url) => void opened.push(url) })
    const uri = await uriOf(redirect)
    expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(await uriOf(redirect)).toBe(uri)
    await redirect.open(page('s1'))
    const waiting = redirect.waitForCode({ state: 's1', signal })
    const shown = fetch(`${uri}?code=c&state=s1&iss=https%3A%2F%2Fa`).then((response) => response.text())
    expect(Object.fromEntries((await waiting) as URLSearchParams)).toEqual({
      code: 'c',
      state: 's1',
      iss: 'https://a',
    })
    expect(opened).toEqual([page('s1')])
    // Whether it worked is known when the code was exchanged.
    expect(await Promise.race([shown, quiet(50)])).toBeUndefined()
    await redirect.close?.()
    expect(await shown).toContain('You are signed in')
    await expect(fetch(uri)).rejects.toThrow()
  })

  it('takes an answer that comes before anybody waits', async () => {
    redirect = loopbackRedirect({
      open: async (url) => void (await fetch(`${await uriOf(redirect)}${new URL(url).search}&code=c`)),
    })
    await uriOf(redirect)
    await redirect.open(page('s1'))
    expect(((await redirect.waitForCode({ state: 's1', signal })) as URLSearchParams).get('code')).toBe('c')
  })

  it('is not disturbed by old tabs, strangers and other paths', async () => {
    redirect = loopbackRedirect({ open: () => {} })
    const uri = await uriOf(redirect)
    expect((await fetch(`${uri}?code=early&state=s1`)).status).toBe(400)
    await redirect.open(page('s1'))
    const waiting = redirect.waitForCode({ state: 's1', signal })
    expect((await fetch(`${uri}?code=bad&state=other`)).status).toBe(400)
    expect((await fetch(`${uri}?code=bad`)).status).toBe(400)
    expect((await fetch(new URL('/favicon.ico', uri))).status).toBe(404)
    expect((await fetch(`${uri}?code=x&state=s1`, { method: 'POST' })).status).toBe(404)
    const refusal = fetch(`${uri}?error=access_denied&state=s1`)
    expect(((await waiting) as URLSearchParams).get('error')).toBe('access_denied')
    await redirect.close?.(oauthError('authorization_denied', 'no'))
    expect(await (await refusal).text()).toContain('not granted')
  })

  it('survives every request target', async () => {
    redirect = loopbackRedirect({ open: () => {} })
    const uri = await uriOf(redirect)
    await redirect.open(page('s1'))
    const waiting = redirect.waitForCode({ state: 's1', signal })
    for (const target of HOSTILE_TARGETS) {
      expect(await rawRequest(Number(new URL(uri).port), target)).toMatch(/^HTTP\/1.1 4\d\d |^$/)
    }
    const shown = fetch(`${uri}?code=c&state=s1`)
    expect(((await waiting) as URLSearchParams).get('code')).toBe('c')
    await redirect.close?.()
    expect((await shown).status).toBe(200)
  })

  it('never shows what it was sent', async () => {
    redirect = loopbackRedirect({ open: () => {} })
    const uri = await uriOf(redirect)
    await redirect.open(page('s1'))
    const shown = fetch(`${uri}?code=SECRET&state=s1&error_description=<script>`)
    await redirect.waitForCode({ state: 's1', signal })
    await redirect.close?.(new Error('SECRET <script>'))
    const response = await shown
    const text = await response.text()
    expect(text).toContain('Signing in failed')
    expect(text).not.toMatch(/SECRET|script/)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('stops waiting when it is told to, and can be used again', async () => {
    redirect = loopbackRedirect({ open: () => {} })
    await uriOf(redirect)
    const abort = new AbortController()
    const waiting = redirect.waitForCode({ state: 's1', signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await redirect.close?.()
    expect(await uriOf(redirect)).toContain('127.0.0.1')
  })

  it('says so when its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => other.once('listening', done))
    redirect = loopbackRedirect({ port: (other.address() as AddressInfo).port })
    await expect(uriOf(redirect)).rejects.toThrow(/EADDRINUSE/)
    await new Promise((done) => other.close(done))
  })
})

describe('openBrowser', () => {
  it('opens nothing but web pages', async () => {
    await expect(openBrowser('file:///etc/passwd')).rejects.toThrow(/Not a web address/)
  })
})
