import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'

const TIMEOUT = 15_000
const MAX_TEXT = 200_000

export const SEE_LOG = 'The log of the authorization server says more.'

/** Thrown where a client would give up. */
export class Stopped extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

/** The first of these places that has JSON. */
export async function first(
  places: readonly string[],
  { what, fix }: { what: string; fix: string },
): Promise<{ url: string; json: JsonObject }> {
  for (const url of places) {
    const response = await ask(url, { headers: { accept: 'application/json' } })
    const json = response.status === 200 ? await readJson(response) : undefined
    if (json) return { url, json }
  }
  throw new Stopped(`there is no ${what} at ${places.join(' or ')}`, fix)
}

export function ask(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT) })
}

export async function readJson(response: Response): Promise<JsonObject | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_TEXT) return undefined
  }
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function problemIn(json: JsonObject | undefined): string {
  return [json?.error, json?.error_description].filter((part) => typeof part === 'string').join(': ')
}
