import { isSecretSetting } from './hide-credentials.ts'

const USER_INFO = /:\/\/(?:([^\s:/?#@]*):([^\s@]+)|([^\s:/?#@]+))@/
const HEADER = /^([\w-]{1,80}):\s+(\S.*)$/s
const ASSIGNED = /(?:^|[\s;&?#,])(-{0,2}[\w.-]{1,80})=([^\s;&#,]+)/g

/** The credentials that a text of the configuration holds: a password in a URL, `?key=abc`, `X-Key: abc`, `Password=abc;`. */
export function credentialsIn(text: string): string[] {
  const [, , password, user] = USER_INFO.exec(text) ?? []
  const [, header = '', value = ''] = HEADER.exec(text) ?? []
  const assigned = [...text.matchAll(ASSIGNED)].filter(([, name]) => isSecretSetting(name!))
  const found = [password ?? user, ...assigned.map((match) => match[2])]
  if (isSecretSetting(header)) found.push(value, ...value.split(/\s+/))
  return found.flatMap((part) => (part === undefined ? [] : [part, decodePercent(part)]))
}

/** A text without percent encoding; one that is not validly encoded stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
