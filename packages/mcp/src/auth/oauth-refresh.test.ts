import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthWorld } from './fixtures/auth-world.test.node.ts'
import { memoryStorage } from './tokens/token-storage.ts'

let world: AuthWorld
beforeEach(async () => {
  world = await new AuthWorld().start()
})
afterEach(async () => {
  vi.useRealTimers()
  await world.stop()
})

/** A token that is refused a minute after it was issued had been accepted. */
function aMinutePasses(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
}

function grants(): (string | null)[] {
  return world.as.asked('/token').map(({ form }) => form.get('grant_type'))
}

describe('one refresh at a time', () => {
  it('ten calls that see 401 cause one refresh', async () => {
    const provider = world.provider()
    await world.call(provider)
    world.revokeAccess()
    const responses = await Promise.all(Array.from({ length: 10 }, () => world.call(provider)))
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('a refusal that arrives after the refresh does not cause another', async () => {
    const provider = world.provider()
    await world.call(provider)
    const headers = new Headers()
    const late = { url: world.serverUrl, method: 'POST', headers }
    await provider.authorize(late)
    world.revokeAccess()
    await world.call(provider)
    expect(await provider.onUnauthorized(new Response(null, { status: 401 }), late)).toBe(true)
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('ten first calls sign the user in once', async () => {
    const provider = world.provider()
    await Promise.all(Array.from({ length: 10 }, () => world.call(provider)))
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('ten calls share one refusal of the user', async () => {
    world.redirectWith = (parameters) => parameters.set('error', 'access_denied')
    const provider = world.provider()
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => world.call(provider)))
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('two providers on one storage refresh once', async () => {
    const storage = memoryStorage()
    const [one, two] = [world.provider({ storage }), world.provider({ storage })]
    await world.call(one)
    await world.call(two)
    world.revokeAccess()
    await Promise.all([world.call(one), world.call(two), world.call(one), world.call(two)])
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('step-ups for different scopes happen one after another and lose nothing', async () => {
    const provider = world.provider({ scopes: ['read'] })
    await world.call(provider)
    const challenge = (scope: string): Response => {
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` }
      return new Response(null, { status: 403, headers })
    }
    const request = { url: world.serverUrl, method: 'POST', headers: new Headers() }
    await provider.authorize(request)
    await Promise.all(
      ['write', 'admin', 'write'].map((scope) => provider.onUnauthorized(challenge(scope), request)),
    )
    const asked = world.as.asked('/authorize').map(({ query }) => query.get('scope'))
    expect(asked).toEqual(['read', 'read write', 'read write admin'])
  })
})

describe('renewal', () => {
  it('happens before the expiry, without a 401', async () => {
    world.expiresIn = 60
    const provider = world.provider()
    await world.call(provider)
    world.expiresIn = 3600
    aMinutePasses()
    const before = world.mcp.asked('/mcp').length
    await Promise.all([world.call(provider), world.call(provider)])
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
    expect(world.mcp.asked('/mcp')).toHaveLength(before + 2)
  })

  it('keeps the refresh token when the server does not rotate it', async () => {
    world.rotate = false
    world.as.on('POST /token', async (seen) => {
      const answer = world.issue(seen) as { json: Record<string, unknown> }
      if (seen.form.get('grant_type') === 'refresh_token') delete answer.json.refresh_token
      return answer
    })
    const provider = world.provider()
    await world.call(provider)
    for (let round = 0; round < 2; round += 1) {
      aMinutePasses()
      world.revokeAccess()
      expect((await world.call(provider)).status).toBe(200)
    }
    const sent = world.as.asked('/token').slice(1)
    expect(sent.map(({ form }) => form.get('grant_type'))).toEqual(['refresh_token', 'refresh_token'])
    expect(sent[0]?.form.get('refresh_token')).toBe(sent[1]?.form.get('refresh_token'))
  })

  it('by a spent refresh token leads to a new sign-in, with the scopes that were asked for', async () => {
    world.requiredScope = 'write'
    const provider = world.provider({ scopes: ['read'] })
    await world.call(provider)
    world.revokeAccess()
    world.refreshTokens.clear()
    expect((await world.call(provider)).status).toBe(200)
    expect(grants()).toEqual([
      'authorization_code',
      'authorization_code',
      'refresh_token',
      'authorization_code',
    ])
    expect(world.as.asked('/authorize').at(-1)?.query.get('scope')).toBe('read write')
  })

  it('that fails for a passing reason keeps the tokens', async () => {
    const provider = world.provider()
    await world.call(provider)
    world.revokeAccess()
    world.as.on('POST /token', () => ({ status: 503, text: 'later' }))
    await expect(world.call(provider)).rejects.toMatchObject({
      details: { check: 'token_response', status: 503 },
    })
    world.as.on('POST /token', (seen) => world.issue(seen))
    expect((await world.call(provider)).status).toBe(200)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('survives a storage that fails to write', async () => {
    const storage = memoryStorage()
    let broken = false
    const provider = world.provider({
      storage: {
        ...storage,
        write: async (key, value) => {
          if (broken) throw new Error('disk full')
          await storage.write(key, value)
        },
      },
    })
    await world.call(provider)
    world.revokeAccess()
    broken = true
    await expect(world.call(provider)).rejects.toMatchObject({
      details: { check: 'storage', found: 'disk full' },
    })
    broken = false
    aMinutePasses()
    world.revokeAccess()
    expect((await world.call(provider)).status).toBe(200)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('that came too late gives way to what another process has stored', async () => {
    const storage = memoryStorage()
    const other = world.provider({ storage })
    let isLate = false
    const late = world.provider({
      storage: {
        ...storage,
        // Stood still between redeeming and storing; its lock was taken over meanwhile.
        write: async (key, value) => {
          if (!isLate) return storage.write(key, value)
          isLate = false
          aMinutePasses()
          await storage.write(key, { ...value, accessToken: 'newer', refreshToken: 'newer-refresh' })
          return false
        },
      },
    })
    await world.call(late)
    world.tokens.set('newer', { scope: '' })
    world.refreshTokens.add('newer-refresh')
    aMinutePasses()
    world.revokeAccess()
    world.tokens.set('newer', { scope: '' })
    isLate = true
    expect((await world.call(late)).status).toBe(200)
    expect(world.mcp.asked('/mcp').at(-1)?.headers.authorization).toBe('Bearer newer')
    expect((await world.call(other)).status).toBe(200)
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('sends no refresh token without its lock, and takes what another process has stored', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage }))
    const other = world.provider({ storage })
    let tries = 0
    const late = world.provider({
      storage: {
        ...storage,
        // Stands still with the lock in its hands, before it has sent anything.
        lock: async (key, run, signal) => {
          tries++
          if (tries === 1) return run(() => false)
          if (tries === 2) await world.call(other)
          return storage.lock(key, run, signal)
        },
      },
    })
    aMinutePasses()
    world.revokeAccess()
    expect((await world.call(late)).status).toBe(200)
    expect(tries).toBe(2)
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('uses tokens of an earlier process', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage }))
    expect((await world.call(world.provider({ storage }))).status).toBe(200)
    expect(world.mcp.asked('/mcp')).toHaveLength(3)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('never uses those of another account', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage, account: 'ann' }))
    await world.call(world.provider({ storage, account: 'bob' }))
    expect(world.as.asked('/authorize')).toHaveLength(2)
  })
})
