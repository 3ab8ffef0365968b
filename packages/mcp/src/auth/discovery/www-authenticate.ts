/** One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). */
export interface Challenge {
  /** In lower case: `bearer`, `dpop`, … */
  readonly scheme: string
  /** Names in lower case; the first of repeated names wins. */
  readonly parameters: ReadonlyMap<string, string>
}

export interface OAuthChallenge {
  readonly schemes: readonly string[]
  readonly resourceMetadata?: string
  readonly scope?: readonly string[]
  readonly error?: string
  readonly errorDescription?: string
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy
const EQUALS = /[ \t]*=[ \t]*/y
const SEPARATORS = /[\s,]*/y
const SPACE = /[ \t]+/y

/** Parses a header of several challenges. Unreadable text ends the parsing; earlier challenges are kept. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = []
  let position = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position
    const match = pattern.exec(header)
    if (match === null) return undefined
    position = pattern.lastIndex
    return match
  }
  let parameters: Map<string, string> | undefined
  for (;;) {
    take(SEPARATORS)
    const name = take(TOKEN)?.[0].toLowerCase()
    if (name === undefined) return challenges
    // A token followed by "=" continues the challenge; a token without it starts the next one.
    if (parameters !== undefined && take(EQUALS) !== undefined) {
      const value = take(QUOTED)?.[1]?.replace(/\\(.)/gs, '$1') ?? take(TOKEN)?.[0]
      if (value === undefined) return challenges
      if (!parameters.has(name)) parameters.set(name, value)
      continue
    }
    parameters = new Map()
    challenges.push({ scheme: name, parameters })
    // `Negotiate abc==` has a token68 instead of parameters; it tells an OAuth client nothing.
    if (take(SPACE) !== undefined) take(TOKEN68)
  }
}

/** Sums up a response's challenges. Bearer and DPoP challenges speak for OAuth; others are ignored. */
export function readChallenge(response: Response): OAuthChallenge {
  const challenges = parseChallenges(response.headers.get('www-authenticate') ?? '')
  const relevant = challenges.filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  const first = (name: string): string | undefined => {
    for (const { parameters } of relevant) if (parameters.has(name)) return parameters.get(name)
    return undefined
  }
  const scope = first('scope')?.split(/\s+/).filter(Boolean)
  const resourceMetadata = first('resource_metadata')
  const error = first('error')
  const errorDescription = first('error_description')
  return {
    schemes: relevant.map(({ scheme }) => scheme),
    ...(resourceMetadata && { resourceMetadata }),
    ...(scope?.length && { scope }),
    ...(error && { error }),
    ...(errorDescription && { errorDescription }),
  }
}
