/** The name of a person as the identity provider gives it, to show to people; undefined when it gives none. */
export function nameOfPerson(claims: Readonly<Record<string, unknown>> = {}): string | undefined {
  const found = ['email', 'preferred_username', 'name'].map((name) => claims[name])
  return found.find((value): value is string => typeof value === 'string' && value !== '')
}
