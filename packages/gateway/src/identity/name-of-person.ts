/** What people call somebody, as the identity provider says; undefined when it says nothing of that. */
export function nameOfPerson(claims: Readonly<Record<string, unknown>> = {}): string | undefined {
  const found = ['email', 'preferred_username', 'name'].map((name) => claims[name])
  return found.find((value): value is string => typeof value === 'string' && value !== '')
}
