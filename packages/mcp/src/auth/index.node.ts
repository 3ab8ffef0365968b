export { fileStorage, readTokenFile, type FileStorageOptions } from './file-storage.node.ts'
export { loopbackRedirect, type LoopbackRedirectOptions } from './loopback-redirect.node.ts'
export { openBrowser } from './open-browser.node.ts'
