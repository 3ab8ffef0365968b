// The admin API as gateway, console and scripts see it: types, the route table, and a client for it.
export {
  AdminError,
  createAdminClient,
  routeUrl,
  type AdminApi,
  type AdminClient,
  type AdminClientOptions,
  type CallName,
  type CallOptions,
  type RouteEvent,
  type RouteInput,
  type RouteReply,
  type StreamItem,
  type StreamName,
  type StreamOptions,
} from './contract/admin-client.ts'
export { isJsonObject, jsonReader, toNumber, withPlainNumbers, writeJson } from '@gantry/mcp/exchange'
export type * from './contract/approvals.ts'
export type * from './contract/audit.ts'
export type * from './contract/access.ts'
export type * from './contract/catalog.ts'
export type * from './contract/clients.ts'
export type * from './contract/common.ts'
export type * from './contract/config.ts'
export type * from './contract/connections.ts'
export { countOf } from './contract/common.ts'
export { escapeControls } from '../model/controls.ts'
export type * from './contract/events.ts'
export type * from './contract/keys.ts'
export type * from './contract/log.ts'
export type * from './contract/overview.ts'
export type * from './contract/playground.ts'
export { isAtLeast, mayUse } from './contract/roles.ts'
export { ROUTES, type Done, type RouteInfo, type RouteName, type Routes } from './contract/routes.ts'
export type * from './contract/targets.ts'
export type * from './contract/tools.ts'
export type * from './contract/trials.ts'
export type * from './contract/why.ts'
export type * from './contract/wire.ts'
export {
  parseWireFilter,
  WIRE_FILTER_FIELDS,
  wireFilterValue,
  type WireFilter,
} from './contract/wire-filter.ts'
