/** The name of a person for people, as the identity provider says; undefined when it says none. */
export function nameOfPerson(claims: Readonly<Record<string, unknown>> = {}): string | undefined {
  const found = ['email', 'preferred_username', 'name'].map((name) => claims[name])
  return found.find((value): value is string => typeof value === 'string' && value !== '')
}
