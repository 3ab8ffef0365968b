/** JSON is denser in punctuation than prose, so fewer of its characters make a token. */
const CHARACTERS_PER_TOKEN = 3.6

/**
 * About what a definition costs a model's context. Models count differently; the point is to see which target is
 * ten times as expensive as the others.
 */
export function estimateTokens(definition: object): number {
  return Math.ceil(JSON.stringify(definition).length / CHARACTERS_PER_TOKEN)
}
