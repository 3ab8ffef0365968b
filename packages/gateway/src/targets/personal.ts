import type { AuthProvider } from '@gantry/mcp/auth'
import type { Exchange, Principal } from '@gantry/mcp/exchange'
import { Secret, type TargetModel } from '../model/index.ts'

/** The account of one caller at a target. */
export interface Personal {
  /** Variables or headers, by their names. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** The login that goes with every request. */
  readonly auth?: AuthProvider | undefined
}

/** Where the accounts of people come from. */
export interface PersonalAccounts {
  /** Undefined when the caller has no account at this target. */
  open(model: TargetModel, caller: Caller): Promise<Personal | undefined>
  has(model: TargetModel, caller: Caller): Promise<boolean>
}

/** The caller that a connection is made for. */
export interface Caller {
  readonly principal: Principal
  readonly headers?: Exchange['headers']
}

/** Whether each caller uses the target with an account of its own. */
export function isPersonal({ credentials }: TargetModel): boolean {
  return credentials.kind !== 'shared'
}

/** The target as it is for the holder of these values. */
export function withPersonal<Model extends TargetModel>(model: Model, { values }: Personal): Model {
  if (!values) return model
  const secrets = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      new Secret(model.kind === 'stdio' ? value : headerValue(name, value)),
    ]),
  )
  if (model.kind === 'stdio') return { ...model, env: { ...model.env, ...secrets } }
  return model.kind === 'url' || model.kind === 'openapi'
    ? { ...model, headers: { ...withoutNames(model.headers, secrets), ...secrets } }
    : model
}

/** A value without a scheme is a bearer token. */
function headerValue(name: string, value: string): string {
  return name.toLowerCase() === 'authorization' && !value.includes(' ') ? `Bearer ${value}` : value
}

/** Names of headers ignore case. */
function withoutNames<T>(
  headers: Readonly<Record<string, T>>,
  others: Readonly<Record<string, unknown>>,
): Record<string, T> {
  const taken = new Set(Object.keys(others).map((name) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !taken.has(name.toLowerCase())))
}
