import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { isSelected } from '../../model/index.ts'
import type { Permissions } from '../../rules/permissions.ts'

/** Whether a caller may know that a target exists: it can use something of what is there. */
export function mayKnow({ target, snapshot }: TargetCatalog, permissions: Permissions): boolean {
  if (permissions.isOpen) return true
  const { name, model } = target
  if (!permissions.mayCallSome(name)) return false
  if (!snapshot) return true
  const { tools, prompts, resources } = snapshot.discovery.capabilities
  if ((!tools && !prompts && !resources) || permissions.mayCallSome(name, 'methods')) return true
  const maySeeSome = (kind: 'tools' | 'prompts'): boolean => {
    const offered = snapshot[kind].filter((item) => isSelected(item.name as string, model[kind]))
    if (offered.length === 0) return permissions.mayCallSome(name, kind)
    return offered.some((item) => permissions.maySee({ kind, target: name, name: item.name as string, item }))
  }
  return (
    (tools !== undefined && maySeeSome('tools')) ||
    (prompts !== undefined && maySeeSome('prompts')) ||
    // Resources need not be listed to be read.
    (resources !== undefined && permissions.mayCallSome(name, 'resources'))
  )
}
