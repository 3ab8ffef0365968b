import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../api/may.tsx'
import { overviewQuery } from '../api/queries.ts'
import { Notice } from '../ui/signs/notice.tsx'

/** On every page, while the file cannot be used: what runs is not what it says. */
export function ConfigBanner() {
  const may = useMay()
  const { data } = useQuery({ ...overviewQuery, enabled: may('overview') })
  const problem = data?.config.rejected?.problems[0]
  if (!problem) return null
  return (
    <Notice tone="bad" title="The configuration file has an error; the last good one is in use" flush>
      Line {problem.line}: {problem.message}{' '}
      {may('config') && (
        <Link to="/configuration" search={{ line: String(problem.line), show: 'file' }}>
          Show it
        </Link>
      )}
    </Notice>
  )
}
