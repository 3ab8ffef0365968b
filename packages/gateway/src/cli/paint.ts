const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/** Colours text, or leaves it alone. */
export type Paint = { readonly [style in keyof typeof STYLES]: (text: string) => string }

export function createPaint(isColoured: boolean): Paint {
  const entries = Object.entries(STYLES).map(([style, [on, off]]) => [
    style,
    (text: string) => (isColoured && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text),
  ])
  return Object.fromEntries(entries) as Paint
}

/** Colours are for terminals: see https://no-color.org for the first rule. */
export function hasColours(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return stream.isTTY === true && env.TERM !== 'dumb'
}
