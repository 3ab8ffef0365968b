import { McpError } from '../../../jsonrpc/index.ts'
import { displayUrl } from './errors.ts'

export function checkUrl(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new McpError('invalid_config', `${JSON.stringify(url)} is not a URL; expected http:// or https://`)
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw new McpError('invalid_config', `${displayUrl(url)} is not an http:// or https:// URL`)
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new McpError(
      'invalid_config',
      `The URL of ${displayUrl(url)} holds a user name or password, which fetch refuses: send an Authorization header`,
    )
  }
  return parsed.href
}
