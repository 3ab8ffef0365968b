/** How URIs are read and compared: whatever way a URI is written, rules about it say the same. */
export { targetScheme } from './uri-forms.ts'
export { sentUri, uriForms, type UriForms } from './uri-forms.ts'
export { forbidsUri, permitsUri, readUri, toUriPattern, type UriPattern } from './uri-pattern.ts'
