export { fileStorage, readTokenFile, type FileStorageOptions } from './tokens/file-storage.node.ts'
export {
  loopbackRedirect,
  type LoopbackRedirectOptions,
  openBrowser,
} from './grants/loopback-redirect.node.ts'
