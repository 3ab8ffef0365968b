/** The items by key, in the order of their first appearance. */
export function grouped(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
