/**
 * Types of your application. Say once what the requests of your servers bring with them:
 *
 * ```ts
 * declare module '@gantry/mcp/server' {
 *   interface AppTypes {
 *     serverContext: { tenant: string } | undefined
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications add to it
export interface AppTypes {}

/** The type of `ctx.serverContext`: unknown until `AppTypes` gives it. */
export type ServerContext = AppTypes extends { serverContext: infer Given } ? Given : unknown
