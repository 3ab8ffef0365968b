/** Text in a configuration may hold references; what comes from a command line is meant as it is. */
export function literalText(text: string): string {
  return text.replaceAll('${', () => '$${')
}
