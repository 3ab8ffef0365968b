/** Reads what others send: never throws for a URL, bounds the depth of JSON, tells where a host is. */
export { isTooDeep, MAX_DEPTH, parseJson } from '../jsonrpc/read-json.ts'
export {
  addressKind,
  type AddressKind,
  isChosenHost,
  isWithinReach,
  OutOfReach,
  type Reach,
} from './reach.ts'
export { cutText, isDeepYaml, parseUrl, splitTarget } from './foreign-text.ts'
