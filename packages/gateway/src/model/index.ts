export { accountScope, accountScopes, isAccountScope } from './account-scope.ts'
export {
  ADMIN_SCOPE,
  CERTIFICATE_ISSUER,
  keyPrincipal,
  METRICS_SCOPE,
  OPERATOR_SCOPE,
  VIEWER_SCOPE,
} from './auth-model.ts'
export type {
  ApiKeyModel,
  AuthModel,
  BearerModel,
  Certified,
  GroupsModel,
  RolesModel,
  SignInModel,
} from './auth-model.ts'
export { escapeControls, removeControls } from './controls.ts'
export { credentialsIn, decodePercent } from './credentials-in.ts'
export { describeTarget, displayArgs, displayUrl } from './describe-target.ts'
export type {
  AuditModel,
  AuditReceiver,
  CatalogModel,
  GatewayModel,
  ClusterModel,
  LimitsModel,
  NamesModel,
  OtlpModel,
  RateModel,
  RepeatedErrorsModel,
  RetryModel,
  ServerModel,
  TelemetryModel,
  UsageLimitsModel,
  ExchangeLogModel,
} from './gateway-model.ts'
export type {
  HostModel,
  RedisAccountModel,
  RedisModel,
  RedisPlaceModel,
  StoreModel,
} from './store-model.ts'
export type * from './settings.gen.ts'
export { isOpenToAll, isOwn, refuseForeign } from './file-owner.ts'
export { endpointModel, findTarget, schemeOf, sharedLimit } from './gateway-model.ts'
export { spellingsOf } from './secret-spellings.ts'
export {
  hideCredentials,
  hideKeys,
  hideShapes,
  isSecretName,
  isSecretSetting,
  REDACTED,
  secretsIn,
} from './hide-credentials.ts'
export {
  compileRe2,
  detectorNames,
  detectorsFor,
  loadRe2,
  replaceFound,
  SPELLED,
  withoutHidden,
} from './sensitive/index.ts'
export { isLoopbackAddress, isLoopbackHost, withoutBrackets } from './gateway-model.ts'
export { forbidsName, isSelected, nameForms, permitsName, type NameForms } from './name-forms.ts'
export type {
  ApproveModel,
  ApproverPattern,
  ArgumentUse,
  Condition,
  FactSource,
  ObjectKind,
  ObjectPattern,
  PolicyModel,
  PrincipalPattern,
  RuleModel,
  RuleSet,
  SourcePlace,
  Truth,
  WhoModel,
} from './policy-model.ts'
export { describeApprover, parseObjectPattern } from './policy-model.ts'
export type { ResultRule, Sensitive } from './result-rules.ts'
export {
  viewEntryKey,
  type Expression,
  type Filled,
  type ViewEntry,
  type ViewModel,
  type ViewParameter,
} from './view-model.ts'
export { readByteSize, readDuration, readSpan } from './quantities.ts'
export { readSmallFile, readSmallFileSync } from './read-small-file.ts'
export { deepFreeze, isSame } from './same.ts'
export type { Text } from './secret.ts'
export { repeatsItself, reveal, revealAll, Secret } from './secret.ts'
export type {
  CredentialsModel,
  ExchangeModel,
  PersonalSecret,
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
export { DistinctNames } from './distinct-names.ts'
export { closedParameters, closedProperties, declaredProperties } from './schema/closed-properties.ts'
export { referredSchema, schemaParts } from './schema/schema-parts.ts'
export { countSlips, suggest } from './suggest.ts'
export { coversPattern, matchesWildcard } from './wildcard.ts'
