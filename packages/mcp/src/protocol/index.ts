export { META } from './meta-keys.ts'
export {
  eraOf,
  isRevision,
  LATEST_LEGACY,
  LATEST_MODERN,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  REVISIONS,
  type Era,
  type Revision,
} from './revisions.ts'
export type * from './types.ts'
