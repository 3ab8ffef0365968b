export {
  appCapabilities,
  appLinkOf,
  isForApp,
  isForModel,
  readApp,
  type LoadedApp,
} from './app-client.ts'
export {
  APP_MIME_TYPE,
  APPS_EXTENSION,
  type AppCsp,
  type AppLink,
  type AppPermissions,
  type AppView,
  type AppVisibility,
} from './app-types.ts'
export { appResource, apps, appTool, supportsApps, type AppDefinition } from './apps.ts'
export { contentSecurityPolicy, permissionsPolicy } from './content-security-policy.ts'
