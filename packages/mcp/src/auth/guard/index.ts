export { bearer, type BearerGuard } from './bearer.ts'
export type {
  BearerOptions,
  DpopMode,
  DpopOptions,
  IssuerOptions,
  Refusal,
} from './bearer-options.ts'
export type { IsNewProof } from './dpop-proof.ts'
export type { GuardAuth, GuardCall, GuardPass, GuardRefusal, GuardVerdict } from './guard-types.ts'
export type { IntrospectionOptions } from './introspector.ts'
export { toFetchMetadataHandler, toNodeMetadataHandler } from './metadata-handlers.ts'
export type { ProtectedResourceDocument } from './protected-resource.ts'
