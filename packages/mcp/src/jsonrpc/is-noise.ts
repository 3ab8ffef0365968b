/**
 * Whether a text is no JSON, by its beginning and its end alone: finding out by parsing costs a hundred times as
 * much, and there are servers that send little else.
 */
export function isNoise(text: string): boolean {
  if (!/^\s*(?:[{["\-\d]|(?:true|false|null)\s*$|$)/.test(text)) return true
  return /^\s*\{/.test(text) && !text.endsWith('}') && !text.trimEnd().endsWith('}')
}
