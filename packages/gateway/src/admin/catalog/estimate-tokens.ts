/** JSON is denser in punctuation than prose, so fewer of its characters make a token. */
const CHARACTERS_PER_TOKEN = 3.6

/** Estimates what a definition costs a model's context: good enough to find the expensive targets. */
export function estimateTokens(definition: object): number {
  return tokensIn(JSON.stringify(definition).length)
}

/** About how many tokens so many bytes of JSON are. */
export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / CHARACTERS_PER_TOKEN)
}
