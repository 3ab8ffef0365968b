import { toIssue, type Finding } from './finding.ts'
import { describeIssue, type Path } from './issues.ts'

/**
 * Says why none of several options fits, or too many, from what is wrong by each of them. Reporting the faults of
 * all options would bury the one that the author of the value can act on.
 */
export function explainChoice(failures: readonly Finding[][], isExclusive: boolean, path: Path): Finding[] {
  const matches = failures.filter((findings) => findings.length === 0).length
  if (matches === 1 || (matches > 1 && !isExclusive)) return []
  if (matches > 1)
    return [{ path, message: `matches ${matches} of the allowed forms and must match only one` }]
  const meant = failures.filter((findings) => !findings.some((finding) => isOtherForm(finding, path)))
  if (meant.length === 1) return meant[0]!
  if (failures.length === 1) return failures[0]!
  return [mergedConstants(failures, path) ?? { path, message: describeOptions(failures) }]
}

/** The value is of another type, or its tag – a constant at hand – has another value: not the option meant. */
function isOtherForm(finding: Finding, path: Path): boolean {
  if (finding.kind === 'type') return finding.path.length === path.length
  return finding.kind === 'constant' && finding.path.length <= path.length + 1
}

/** Options that are mere types or constants: `must be string or null`. */
function mergedConstants(failures: readonly Finding[][], path: Path): Finding | undefined {
  const findings = failures.flat()
  const isMere = (finding: Finding): boolean =>
    finding.path.length === path.length && isOtherForm(finding, path)
  if (!findings.every(isMere)) return undefined
  const choices = new Set(findings.map((finding) => finding.message.replace(/^must be (one of )?/, '')))
  return { path, message: `must be ${[...choices].join(' or ')}`, kind: 'constant' }
}

const MAX_DESCRIBED_OPTIONS = 5
const MAX_DESCRIBED_FAULTS = 3

function describeOptions(failures: readonly Finding[][]): string {
  const described = failures.slice(0, MAX_DESCRIBED_OPTIONS).map((findings, index) => {
    const faults = findings.slice(0, MAX_DESCRIBED_FAULTS).map((finding) => describeIssue(toIssue(finding)))
    return `(${index + 1}) ${faults.join(', ')}`
  })
  if (failures.length > MAX_DESCRIBED_OPTIONS) described.push('…')
  return `matches none of the allowed forms: ${described.join('; ')}`
}
