/** Whether a text is not JSON, by its two ends alone: parsing costs a hundred times as much. */
export function isNoise(text: string): boolean {
  if (!/^\s*(?:[{["\-\d]|(?:true|false|null)\s*$|$)/.test(text)) return true
  return /^\s*\{/.test(text) && !text.endsWith('}') && !text.trimEnd().endsWith('}')
}
