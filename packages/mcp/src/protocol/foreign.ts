/** Reads what others send: never throws for a URL, bounds the depth of JSON, tells where a host is. */
export { isTooDeep, MAX_DEPTH, parseJson } from '../jsonrpc/read-json.ts'
export { addressKind, type AddressKind } from './address-kind.ts'
export { cutText } from './cut-text.ts'
export { isDeepYaml } from './is-deep-yaml.ts'
export { parseUrl, splitTarget } from './parse-url.ts'
export { isChosenHost, isWithinReach, OutOfReach, type Reach } from './reach.ts'
