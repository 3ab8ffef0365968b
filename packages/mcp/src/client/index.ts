export { EraCache, sharedEraCache, type EraCacheOptions, type EraFinding } from './era-cache.ts'
export { negotiate, type EdgeHooks, type Negotiated, type NegotiateOptions } from './negotiate.ts'
