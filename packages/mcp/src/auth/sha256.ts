import { base64url } from 'jose'

/** SHA-256 of a text in Base64url: names tokens in caches, and is `ath` in a DPoP proof. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64url.encode(new Uint8Array(digest))
}
