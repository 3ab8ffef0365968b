/** A request that presented a credential and was not let in. */
export interface Refused {
  readonly status: number
  readonly reason: string
  readonly path: string
}

export type OnRefused = (refused: Refused) => void

/** A URL without its query, where people put keys. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}
