export type { AuthProvider, AuthRequest, RefusedRequest } from './auth-provider.ts'
export type { SigningKey } from './grants/client-authentication.ts'
export { oauth } from './oauth.ts'
export { type OAuthCheck, oauthCheck } from './http/oauth-error.ts'
export type { Fetch } from './http/reach-fetch.ts'
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
export type { OAuthStep, OnStep } from './http/oauth-step.ts'
export { memoryStorage, type TokenStorage } from './tokens/token-storage.ts'
