/** The part of RFC 6570 that resource templates use: simple, reserved, path, query and fragment expressions. */
const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g

export function variablesOf(template: string): string[] {
  return [...template.matchAll(EXPRESSION)].flatMap(([, , names]) =>
    names!.split(',').map((name) => name.replace(/[*]|:\d+$/g, '')),
  )
}

export function expandTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(EXPRESSION, (_, operator: string, names: string) => {
    const given = names
      .split(',')
      .map((name) => name.replace(/[*]|:\d+$/g, ''))
      .filter((name) => values[name] !== undefined && values[name] !== '')
      .map((name) => [name, String(values[name])] as const)
    if (given.length === 0) return ''
    const encode = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent
    const named = operator === '?' || operator === '&' || operator === ';'
    const parts = given.map(([name, value]) => (named ? `${name}=${encode(value)}` : encode(value)))
    const separator = { '?': '&', '&': '&', ';': ';', '/': '/', '.': '.' }[operator] ?? ','
    return (operator === '+' ? '' : operator) + parts.join(separator)
  })
}
