export { ADMIN_SCOPE, keyPrincipal, METRICS_SCOPE } from './auth-model.ts'
export type { ApiKeyModel, AuthModel, BearerModel } from './auth-model.ts'
export { escapeControls, removeControls } from './controls.ts'
export { credentialsIn } from './credentials-in.ts'
export { describeTarget, displayArgs, displayUrl } from './describe-target.ts'
export type {
  CatalogModel,
  GatewayModel,
  LimitsModel,
  NamesModel,
  ServerModel,
  StoreModel,
  TelemetryModel,
  WireViewModel,
} from './gateway-model.ts'
export { isOpenToAll, isOwn, refuseForeign } from './file-owner.ts'
export { findTarget, sharedLimit } from './gateway-model.ts'
export { spellingsOf } from './secret-spellings.ts'
export {
  hideCredentials,
  hideKeys,
  hideShapes,
  isSecretName,
  isSecretSetting,
  REDACTED,
} from './hide-credentials.ts'
export { isLoopbackAddress, isLoopbackHost, withoutBrackets } from './gateway-model.ts'
export { forbidsName, isSelected, nameForms, permitsName, type NameForms } from './name-forms.ts'
export type {
  ObjectKind,
  ObjectPattern,
  PolicyModel,
  PrincipalPattern,
  RuleModel,
  WhoModel,
} from './policy-model.ts'
export { parseObjectPattern } from './policy-model.ts'
export { readByteSize, readDuration } from './quantities.ts'
export { readSmallFile, readSmallFileSync } from './read-small-file.ts'
export { deepFreeze, isSame } from './same.ts'
export type { Text } from './secret.ts'
export { repeatsItself, reveal, revealAll, Secret } from './secret.ts'
export type {
  HealthModel,
  InProcessTarget,
  Isolation,
  OAuthModel,
  OpenApiAuthModel,
  OpenApiTarget,
  ReplayTarget,
  RestartModel,
  SelectionModel,
  StdioTarget,
  TargetKind,
  TargetModel,
  TargetOptions,
  TimeoutsModel,
  UrlTarget,
} from './target-model.ts'
export type { UriForms, UriPattern } from './uri/index.ts'
export {
  forbidsUri,
  permitsUri,
  readUri,
  sentUri,
  targetScheme,
  toUriPattern,
  uriForms,
} from './uri/index.ts'
export { coversPattern, matchesWildcard } from './wildcard.ts'
