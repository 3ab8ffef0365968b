import { childrenOf, type Node } from './environment.ts'
import { requireWork, spend } from './work.ts'

/** Operations that look at the whole of what they get. */
const LINEAR: ReadonlySet<string> = new Set(['call', 'rcall', 'in', '==', '!=', '+'])
const CHARACTERS_PER_UNIT = 64

/** Lets a checked expression pay for every step of a loop, and for every operation by the size of what it gets. */
export function meterCost(node: Node): void {
  const { alternate } = node.meta
  if (alternate?.op === 'comprehension') {
    const { iterable, step } = alternate.args as { iterable: Node; step: Node }
    const loop = alternate.handle!
    alternate.handle = (items, args, evaluator, context) => {
      if (Array.isArray(items)) requireWork(items.length)
      return loop(items, args, evaluator, context)
    }
    const run = step.meta.evaluate!
    step.setMeta('evaluate', (evaluator, ast, context) => {
      spend(1)
      return run(evaluator, ast, context)
    })
    meterCost(iterable)
    for (const child of childrenOf(step)) meterCost(child)
    return
  }
  const { handle } = node
  if (handle && LINEAR.has(node.op)) {
    node.handle = (left, right, third, fourth) => {
      spend(sizeOf(left) + sizeOf(right))
      return handle(left, right, third, fourth)
    }
  }
  for (const child of childrenOf(node)) meterCost(child)
}

/** Roughly, and from above: texts by their length, lists and maps with all that is in them. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / CHARACTERS_PER_UNIT
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + sizeOf(item), 0)
  if (!(value instanceof Map)) return 0
  let size = 0
  for (const item of value.values()) size += 1 + sizeOf(item)
  return size
}
