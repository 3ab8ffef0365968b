import type {
  CredentialsModel,
  CredentialsSettings,
  RawCredentials,
  RawTarget,
  TargetSettings,
} from '../../model/index.ts'
import type { Section } from './section.ts'

const SHARED: CredentialsModel = { kind: 'shared' }

/**
 * The accounts that a target is used with. Reports settings that cannot work, and never falls back to a shared account.
 */
export function compileCredentials(section: Section<TargetSettings>, raw: RawTarget): CredentialsModel {
  const { credentials } = section.value
  if (credentials === undefined || credentials === 'shared') return SHARED
  const problem = problemOf(typeof raw.credentials === 'object' ? raw.credentials : { kind: 'user' }, raw)
  if (problem) section.report({ code: 'invalid-value', part: 'key', ...problem }, 'credentials')
  if (credentials === 'user') return { kind: 'user', secrets: [] }
  if (credentials.kind === 'exchange') {
    return compileExchange(section.at('credentials').narrow(credentials))
  }
  const asked = credentials.env ?? credentials.headers ?? {}
  return { kind: 'user', secrets: Object.entries(asked).map(([name, label]) => ({ name, label })) }
}

function compileExchange(section: Section<CredentialsSettings>): CredentialsModel {
  const { by, subject, scopes } = section.value
  return {
    kind: 'exchange',
    by,
    subject: by === 'id-jag' ? 'id-token' : subject,
    tokenUrl: section.plain('tokenUrl') ?? '',
    clientId: section.plain('clientId') ?? '',
    clientSecret: section.credential('clientSecret'),
    audience: section.plain('audience'),
    scopes,
  }
}

interface Fault {
  readonly message: string
  readonly fix: string
}

/** The first thing that could never work, by what the file itself says. */
function problemOf(settings: RawCredentials, raw: RawTarget): Fault | undefined {
  const { kind, env, headers } = settings
  const isProgram = raw.command !== undefined
  if (raw.module !== undefined || raw.replay !== undefined) {
    const message = `A ${raw.module === undefined ? 'recording' : 'module'} has no accounts`
    return { message, fix: 'Remove "credentials"' }
  }
  if (raw.isolation !== undefined && raw.isolation !== 'user') {
    const message = `Accounts of people need a connection for each person, not "isolation": "${raw.isolation}"`
    return { message, fix: 'Remove "isolation"' }
  }
  if (kind === 'exchange') {
    if (isProgram) {
      const message = 'A program cannot be given tokens that are exchanged for each caller'
      return { message, fix: 'Use { "kind": "user", "env": { … } }' }
    }
    if (settings.by === 'id-jag') {
      const fault = problemOfAssertions(settings, raw)
      if (fault) return fault
    }
    if (settings.tokenUrl !== undefined && settings.clientId !== undefined) return undefined
    return { message: 'An exchange needs "tokenUrl" and "clientId"', fix: 'Add them' }
  }
  if (isProgram && (env === undefined || headers !== undefined)) {
    const message = 'A program gets the accounts of people by its environment'
    return { message, fix: 'Write { "kind": "user", "env": { "NAME": "What to paste" } }' }
  }
  if (!isProgram && env !== undefined) {
    const message = 'Only programs have an environment'
    return { message, fix: 'Write "headers" instead of "env"' }
  }
  const hasLogin = raw.openapi === undefined && raw.oauth !== false
  if (!isProgram && headers === undefined && !hasLogin) {
    const message = 'There is no login here, so people have to paste a key'
    return { message, fix: 'Write { "kind": "user", "headers": { "Authorization": "What to paste" } }' }
  }
  const oauth = raw.oauth === false ? undefined : raw.oauth
  if (!isProgram && headers === undefined && oauth?.grant === 'client_credentials') {
    const message = 'With "client_credentials" the gateway has one account, and people have none'
    return { message, fix: 'Remove "grant" from "oauth"' }
  }
  return undefined
}

/**
 * The target's own metadata says where an assertion is redeemed. The client that redeems it must prove its identity.
 */
function problemOfAssertions(settings: RawCredentials, raw: RawTarget): Fault | undefined {
  if (settings.subject === 'access-token') {
    const message = 'An ID-JAG is got for an ID token, and for no access token'
    return { message, fix: 'Remove "subject"' }
  }
  if (settings.audience !== undefined || settings.scopes !== undefined) {
    const message =
      'An ID-JAG is for the authorization server that the target names, and for the scopes of "oauth"'
    return { message, fix: 'Remove "audience", and write "scopes" into "oauth"' }
  }
  const oauth = raw.oauth === false ? undefined : raw.oauth
  if (raw.url !== undefined && oauth?.clientId !== undefined) return undefined
  const message = 'An ID-JAG is redeemed at the authorization server of a "url", as a client that it knows'
  return {
    message,
    fix: 'Write "oauth": { "clientId": "…", "clientSecret": "${env:…}" } beside "credentials"',
  }
}
