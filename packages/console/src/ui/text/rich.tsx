/** Text with `code` in it, as explanations of the gateway have it. Nothing else is markup. */
export function Rich({ text }: { text: string }) {
  return text.split(/(`[^`]+`)/).map((part, index) =>
    part.length > 2 && part.startsWith('`') && part.endsWith('`') ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
      <code key={index}>{part.slice(1, -1)}</code>
    ) : (
      part
    ),
  )
}
