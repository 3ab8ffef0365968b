import { createHash } from 'node:crypto'

/** A name for something whose own id is as good as a key: sessions, above all. The same id has the same name. */
export function publicId(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 10)
}
