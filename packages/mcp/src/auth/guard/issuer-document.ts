import type { JsonObject } from '../../jsonrpc/index.ts'
import { loadDocument } from '../metadata-document.ts'
import { oauthError, quote } from '../oauth-error.ts'
import type { OAuthHttp } from '../oauth-http.ts'
import { serverMetadataUrls } from '../server-metadata.ts'

const WHAT = 'Authorization server metadata'

/**
 * The issuer's metadata by RFC 8414 or OpenID Connect Discovery. A resource server needs only a part of it, so
 * issuers without a token endpoint (platforms that hand out workload identities) are fine here.
 */
export async function loadIssuerDocument(issuer: string, http: OAuthHttp): Promise<JsonObject> {
  const findings: string[] = []
  for (const url of serverMetadataUrls(http.check(issuer, 'The issuer'))) {
    const loaded = await loadDocument(url, WHAT, { http, step: () => {} })
    if (loaded.kind === 'failed') throw loaded.error
    if (loaded.kind === 'absent') {
      findings.push(`${url.href}: ${loaded.found}`)
      continue
    }
    // RFC 8414, section 3.3: identical, with no normalization, or the document is not used at all.
    if (loaded.document.issuer === issuer) return loaded.document
    throw oauthError('issuer_mismatch', 'the metadata is of another issuer', {
      url,
      expected: quote(issuer),
      found: quote(loaded.document.issuer),
      fix: 'Write the issuer exactly as its metadata and its tokens have it.',
    })
  }
  throw oauthError('server_metadata', 'the issuer publishes no metadata', {
    url: issuer,
    expected: 'a document by RFC 8414 or OpenID Connect Discovery',
    found: findings.join('; '),
    fix: 'Check the issuer, or give jwks.',
  })
}
