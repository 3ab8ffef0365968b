import { childrenOf, type Node } from './environment.ts'
import type { Facts } from './facts.ts'

/** True or false where that can be told without the library; undefined: ask it. */
export type QuickAnswer = (facts: Facts) => boolean | undefined

type Read = (facts: Facts) => unknown

const UNSURE: QuickAnswer = () => undefined

/**
 * Most conditions compare single arguments with literals, and a call may meet many of them. This evaluates them in a
 * tenth of the time. When a type is not exactly the expected one, it leaves the decision to the library.
 */
export function quickAnswer(node: Node): QuickAnswer | undefined {
  const answer = compile(node)
  return answer === UNSURE ? undefined : answer
}

function compile(node: Node): QuickAnswer {
  switch (node.op) {
    case '&&':
      return joined(node, false)
    case '||':
      return joined(node, true)
    case '!_': {
      const inner = compile(node.args as Node)
      if (inner === UNSURE) return UNSURE
      return (facts) => negated(inner(facts))
    }
    case 'call':
      return presence(node)
    case 'rcall':
      return textTest(node)
    default:
      return comparison(node)
  }
}

/** One operand that is `decisive` is enough, whatever the other one is or whether it has a value. */
function joined(node: Node, decisive: boolean): QuickAnswer {
  const [left, right] = (node.args as Node[]).map(compile) as [QuickAnswer, QuickAnswer]
  if (left === UNSURE && right === UNSURE) return UNSURE
  return (facts) => {
    const first = left(facts)
    if (first === decisive) return decisive
    const second = right(facts)
    if (second === decisive) return decisive
    return first === undefined || second === undefined ? undefined : !decisive
  }
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value
}

/** `has(args.name)` */
function presence(node: Node): QuickAnswer {
  const [name] = node.args as [string]
  const field = name === 'has' ? fieldOf(childrenOf(node)[0]) : undefined
  return field === undefined ? UNSURE : (facts) => facts.args.has(field)
}

const TEXT_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
}

/** `args.name.startsWith("…")` */
function textTest(node: Node): QuickAnswer {
  const [name, receiver, given] = node.args as [string, Node, Node[]]
  const test = Object.hasOwn(TEXT_TESTS, name) ? TEXT_TESTS[name] : undefined
  const read = argument(receiver)
  const part = given.length === 1 ? textIn(given[0]!) : undefined
  if (!test || !read || part === undefined) return UNSURE
  return (facts) => {
    const text = read(facts)
    return typeof text === 'string' ? test(text, part) : undefined
  }
}

const COMPARISONS: Readonly<Record<string, (value: never, literal: never) => boolean>> = {
  '==': (value, literal) => value === literal,
  '!=': (value, literal) => value !== literal,
  '<': (value, literal) => value < literal,
  '<=': (value, literal) => value <= literal,
  '>': (value, literal) => value > literal,
  '>=': (value, literal) => value >= literal,
}
const ORDERED = new Set(['bigint', 'number'])

/** `args.name > 500`, and texts that are equal or not */
function comparison({ op, args }: Node): QuickAnswer {
  const compare = Object.hasOwn(COMPARISONS, op) ? COMPARISONS[op] : undefined
  if (!compare || !Array.isArray(args)) return UNSURE
  const read = argument(args[0] as Node)
  const literal = valueIn(args[1] as Node)
  const isText = typeof literal === 'string' && (op === '==' || op === '!=')
  if (!read || !(isText || ORDERED.has(typeof literal))) return UNSURE
  return (facts) => {
    const value = read(facts)
    return typeof value === typeof literal ? compare(value as never, literal as never) : undefined
  }
}

function argument(node: Node): Read | undefined {
  const field = fieldOf(node)
  return field === undefined ? undefined : (facts) => facts.args.get(field)
}

/** The name in `args.name`. */
function fieldOf(node: Node | undefined): string | undefined {
  if (node?.op !== '.') return undefined
  const [holder, name] = node.args as [Node, string]
  return holder.op === 'id' && holder.args === 'args' ? name : undefined
}

function valueIn(node: Node): unknown {
  return node.op === 'value' ? node.args : undefined
}

function textIn(node: Node): string | undefined {
  const value = valueIn(node)
  return typeof value === 'string' ? value : undefined
}
