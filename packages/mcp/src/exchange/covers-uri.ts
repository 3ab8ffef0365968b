/** An update may name a sub-resource of what was subscribed to (MCP 2025-11-25, schema). */
export function coversUri(subscribed: string, updated: string): boolean {
  if (updated === subscribed) return true
  if (!updated.startsWith(subscribed)) return false
  return /[/?#]$/.test(subscribed) || /^[/?#]/.test(updated.slice(subscribed.length))
}
