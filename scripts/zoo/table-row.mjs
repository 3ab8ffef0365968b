/** One line of the table: a visit, with the remark that the list of servers has for it. */
export function row({ package: name, version = '', revision = '', expected, verdicts }, { note = '' }) {
  if (expected.failed !== undefined)
    return `| \`${name}\` | ${version} | | | | – | – | ${note || 'does not start, with any client'} |`
  const offers = ['tools', 'prompts', 'resources']
    .map((kind) => [Object.keys(expected[kind]).length, kind])
    .filter(([count, kind]) => count > 0 || kind === 'tools')
    .map(([count, kind]) => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`)
  const cells = [
    `\`${name}\``,
    version,
    revision,
    offers.join(', '),
    expected.results.length,
    sign(verdicts.legacy),
    sign(verdicts.modern),
    note,
  ]
  return `| ${cells.join(' | ')} |`
}

const sign = (verdict) => (verdict === '' ? 'yes' : '**no**')
