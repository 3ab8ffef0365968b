import { describe, expectTypeOf, it } from 'vitest'
import type { Client } from './client.ts'
import type { RequestOptions } from './request-options.ts'

interface App {
  readonly '~tools'?: {
    publish: { input: { id: string }; output: { url: string } }
    ping: { input: { loud?: boolean }; output: unknown }
  }
}

describe('client.tools', () => {
  it('is typed by the server', () => {
    expectTypeOf<Client<App>['tools']['publish']>().toEqualTypeOf<
      (args: { id: string }, options?: RequestOptions) => Promise<{ url: string }>
    >()
    expectTypeOf<Client<App>['tools']['ping']>().toEqualTypeOf<
      (args?: { loud?: boolean }, options?: RequestOptions) => Promise<unknown>
    >()
    expectTypeOf<Client<App>['tools']>().not.toHaveProperty('unknown')
  })
})
