import { samePrincipal, type Principal } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import { reveal, type TargetModel } from '../../model/index.ts'
import type { Place } from './vault.ts'

/** The owner of an account, and the server that may see it. */
export function placeOf(model: TargetModel, principal: Principal): Place {
  return { principal, target: model.name, server: serverOf(model) }
}

function serverOf(model: TargetModel): string {
  const { credentials } = model
  if (model.kind === 'openapi') return originOf(model.baseUrl ?? model.document)
  if (model.kind !== 'url') return 'program'
  const url = reveal(model.url)
  return credentials.kind === 'user' && credentials.secrets.length > 0 ? originOf(url) : `login ${url}`
}

function originOf(url: string): string {
  return parseUrl(url)?.origin ?? url
}

export function samePlace(a: Place, b: Place): boolean {
  return a.target === b.target && a.server === b.server && samePrincipal(a.principal, b.principal)
}
