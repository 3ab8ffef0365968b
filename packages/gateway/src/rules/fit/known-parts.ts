import { serialize } from '@marcbachmann/cel-js'
import { BadExpression, compileCondition, summaryOf, untypedEnvironment } from '../condition.ts'
import type { Node } from '../environment.ts'
import { Facts, type PolicyObject } from '../facts.ts'

/**
 * An expression without the parts that are never asked for where it is about one object:
 * `tool == "crawl" ? args.pages : 1` is `args.pages` for `crawl`, and 1 for everything else.
 */
export async function partFor(source: string, object: PolicyObject): Promise<string> {
  let root: Node
  try {
    root = untypedEnvironment().parse(source).ast as unknown as Node
  } catch (error) {
    throw new BadExpression(summaryOf(error))
  }
  return textOf(await reduced(root, new Facts({ object })))
}

/** A node, or the text of what takes its place. */
async function reduced(node: Node, facts: Facts): Promise<Node> {
  const { op, args } = node
  if (op === '?:') {
    const [condition, yes, no] = args as [Node, Node, Node]
    const known = await truthOf(condition, facts)
    if (known !== undefined) return reduced(known ? yes : no, facts)
  }
  if (op === '&&' || op === '||') {
    const [left, right] = args as [Node, Node]
    const decides = op === '||'
    const values = [await truthOf(left, facts), await truthOf(right, facts)]
    if (values.includes(decides)) return untypedEnvironment().parse(String(decides)).ast as unknown as Node
    if (values[0] !== undefined) return reduced(right, facts)
    if (values[1] !== undefined) return reduced(left, facts)
  }
  node.args = await reducedIn(args, facts)
  return node
}

async function reducedIn(part: unknown, facts: Facts): Promise<unknown> {
  if (Array.isArray(part)) return Promise.all(part.map((one) => reducedIn(one, facts)))
  return typeof part === 'object' && part !== null && 'op' in part ? reduced(part as Node, facts) : part
}

/** Undefined where it takes more than the object to tell. */
async function truthOf(node: Node, facts: Facts): Promise<boolean | undefined> {
  try {
    const truth = (await compileCondition(textOf(node))).evaluate(facts)
    return truth === 'yes' ? true : truth === 'no' ? false : undefined
  } catch (error) {
    if (error instanceof BadExpression) return undefined
    throw error
  }
}

function textOf(node: Node): string {
  return serialize(node as unknown as Parameters<typeof serialize>[0])
}
