import type { Role } from './common.ts'
import { ROUTES, type RouteName } from './routes.ts'

/** From the least to the most. Each may do what the ones before may. */
const ORDER: readonly Role[] = ['viewer', 'operator', 'admin']

/** Whether a role may do everything that the other role may do. */
export function isAtLeast(role: Role | undefined, least: Role): boolean {
  return role !== undefined && ORDER.indexOf(role) >= ORDER.indexOf(least)
}

/** Whether a caller with this role may use a route. Undefined: a caller who is let in, without a role. */
export function mayUse(role: Role | undefined, name: RouteName): boolean {
  const needed = ROUTES[name].role
  return needed === 'anyone' || isAtLeast(role, needed)
}
