import type { Access } from '../../api/contract.ts'
import { Select } from '../../ui/controls/fields.tsx'

/** Everything, or one view. */
export function EndpointSelect({
  access,
  value,
  onChange,
}: {
  access: Access
  value: string
  onChange: (value: string) => void
}) {
  return (
    <Select
      label="Endpoint"
      shown
      value={value}
      onChange={onChange}
      options={[['', '/mcp'], ...access.views.map(({ name }): [string, string] => [name, `/mcp/${name}`])]}
    />
  )
}
