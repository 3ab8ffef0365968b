/** Makes a server's text safe for a terminal: escape sequences could type into the command line. */
export function plainText(text: string): string {
  return text.replaceAll(
    /\u001b\[[\d;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    '',
  )
}

/** The beginning of a text on one line, no longer than fits. */
export function oneLine(text: string, width: number): string {
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line
}
