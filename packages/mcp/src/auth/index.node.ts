export { fileStorage, readTokenFile, type FileStorageOptions } from './file-storage.node.ts'
export { loopbackRedirect, type LoopbackRedirectOptions, openBrowser } from './loopback-redirect.node.ts'
