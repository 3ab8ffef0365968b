/** Reads what others send: never throws for a URL, and bounds the depth of JSON. */
export { MAX_DEPTH, parseJson } from '../jsonrpc/parse-json.ts'
export { parseUrl, splitTarget } from './parse-url.ts'
