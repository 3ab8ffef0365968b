export type { AuthProvider, AuthRequest, RefusedRequest } from './auth-provider.ts'
export type { SigningKey } from './client-authentication.ts'
export { oauth } from './oauth.ts'
export { type OAuthCheck, oauthCheck } from './oauth-error.ts'
export type { Fetch } from './reach-fetch.ts'
export type {
  AuthorizationResponse,
  ClientMetadata,
  IdentityProvider,
  OAuthGrant,
  OAuthOptions,
  Redirect,
  Secret,
  SecretContext,
} from './oauth-options.ts'
export type { OAuthProvider, OAuthStatus } from './oauth-provider.ts'
export type { OAuthStep, OnStep } from './oauth-step.ts'
export { memoryStorage, type TokenStorage } from './token-storage.ts'
