/** A step of obtaining a token. It holds addresses and names, never secrets. */
export interface OAuthStep {
  readonly step:
    | 'challenge'
    | 'resource-metadata'
    | 'server-metadata'
    | 'client'
    | 'authorization-request'
    | 'authorization-response'
    | 'token-request'
    | 'tokens'
    | 'refresh'
    | 'step-up'
    | 'adopted'
    | 'signed-out'
  readonly outcome: 'ok' | 'absent' | 'failed'
  readonly url?: string
  readonly status?: number
  /** Names what was decided: issuer, registration mechanism, grant, scopes. */
  readonly info?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  readonly reason?: string
}

export type OnStep = (step: OAuthStep) => void
