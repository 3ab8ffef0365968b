import type { Random } from '../random.ts'

/** Another way to write a URI that a server may take for the same. */
export function spelled(uri: string, random: Random): string {
  const [scheme, rest = ''] = uri.split('://')
  const [host = '', ...path] = rest.split('/')
  const tail = path.join('/')
  return random.pick([
    `${scheme!.toUpperCase()}://${rest}`,
    `${scheme}://${host.toUpperCase()}/${tail}`,
    `${scheme}://${host}/./${tail}`,
    `${scheme}://${host}/x/../${tail}`,
    `${scheme}://${host}/x/%2e%2e/${tail}`,
    `${scheme}://${host}/%2E/${tail}`,
    `${scheme}://cover/../${rest}`,
    `${scheme}://${host}/${tail.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`)}`,
    `${scheme}://${host}:/${tail}`,
    `${scheme}://${host}/${tail}?`,
    `${scheme}://${host}/${tail}#part`,
    `${scheme}://user@${host}/${tail}`,
    ` ${uri}`,
    `${uri}\n`,
    `${scheme}:\\\\${host}\\${tail}`,
    `${scheme}:${host}/${tail}`,
    `${scheme}://${host}//${tail}`,
    `${scheme}://${host}./${tail}`,
  ])
}
