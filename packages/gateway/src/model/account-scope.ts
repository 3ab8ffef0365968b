import type { TargetModel } from './target-model.ts'

/**
 * The scope that stands for a person's account at a target. Clients are told to ask for it, so that the person comes to
 * our consent page and connects the account there. It opens nothing by itself, and no metadata names it.
 */
export function accountScope(target: string): string {
  return `connect:${target}`
}

export function isAccountScope(scope: string): boolean {
  return scope.startsWith('connect:')
}

export function accountScopes(targets: readonly TargetModel[]): string[] {
  return targets
    .filter(({ enabled, credentials }) => enabled && credentials.kind === 'user')
    .map(({ name }) => accountScope(name))
}
