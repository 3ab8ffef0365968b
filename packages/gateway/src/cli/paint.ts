import { styleText } from 'node:util'

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const

/** Colours text, or leaves it alone. */
export type Paint = { readonly [style in (typeof STYLES)[number]]: (text: string) => string }

export function createPaint(isColoured: boolean): Paint {
  const paint = (style: (typeof STYLES)[number]) => (text: string) =>
    isColoured && text !== '' ? styleText(style, text, { validateStream: false }) : text
  return Object.fromEntries(STYLES.map((style) => [style, paint(style)])) as Paint
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
