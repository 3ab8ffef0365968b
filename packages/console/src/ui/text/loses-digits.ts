/** A text in quotes, or a number. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Every number of so many digits is kept. */
const KEPT = 15

/** Whether a JSON text has a number that changes when it is read: ids of databases often have more digits. */
export function losesDigits(json: string): boolean {
  for (const [part] of json.matchAll(PARTS)) {
    if (part.length <= KEPT || part.startsWith('"')) continue
    if (String(Number(part)) !== part) return true
  }
  return false
}
