import { freePort } from '../../scripts/lib/free-port.mjs'
import { startCompany } from './identity-provider.ts'
import { testGateway, type TestGateway, type TestOptions } from './start-gateway.ts'

export { Browser, signingKey } from './identity-provider.ts'

export interface CompanyGateway extends TestGateway {
  readonly company: string
}

/** A gateway whose people sign in with the company. */
export async function companyGateway(
  config: Record<string, unknown>,
  signIn: object = {},
  claimsOf?: (sub: string) => object,
  options: TestOptions = {},
): Promise<CompanyGateway> {
  const port = await freePort()
  const company = await startCompany(`http://127.0.0.1:${port}/oauth/callback`, claimsOf)
  const settings = { issuer: company.issuer, clientId: 'gantry', clientSecret: 'hush-hush', ...signIn }
  const auth = { signIn: settings, ...(config.auth as object | undefined) }
  const gateway = await testGateway({ ...config, auth }, { ...options, port })
  return {
    ...gateway,
    company: company.issuer,
    async close() {
      await gateway.close()
      await company.close()
    },
  }
}
