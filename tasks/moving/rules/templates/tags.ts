import { resolvePath, type Scope } from './scopes.ts'

/** Translates what is between the braces of a tag. Returns null if Liquid cannot express it. */
export type Translate = (inside: string, scopes: Scope[]) => string | null

const literal = /^("[^"]*"|'[^']*'|-?\d+(\.\d+)?|true|false)$/

/** Returns an argument of a helper in Liquid: a literal or a variable. */
const operand = (text: string, scopes: readonly Scope[]): string | null =>
  literal.test(text) ? text : resolvePath(text, scopes)

const wordsOf = (text: string): string[] => text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []

const comparisons: Readonly<Record<string, string>> = {
  equals: '==',
  notEquals: '!=',
  greaterThan: '>',
  lessThan: '<',
  and: 'and',
  or: 'or',
}

/** Returns the condition of `#if a`, `#equals a b` and similar helpers. */
function conditionOf(helper: string, args: readonly string[], scopes: readonly Scope[]): string | null {
  const operands = args.map((arg) => operand(arg, scopes))
  if (operands.includes(null)) return null
  if (helper === 'if') return operands.length === 1 ? (operands[0] ?? null) : null
  const operator = Object.hasOwn(comparisons, helper) ? comparisons[helper] : undefined
  return operator !== undefined && operands.length === 2 ? operands.join(` ${operator} `) : null
}

/** Opens a block. Returns its Liquid and adds its scope. */
export const openBlock: Translate = (inside, scopes) => {
  const [helper = '', ...args] = wordsOf(inside)
  const open = (start: string, end: string, base: string | null = null, isLoop = false) => {
    scopes.push({ closes: helper, end, base, isLoop })
    return start
  }
  if (helper === 'each' && args.length === 1) {
    const list = resolvePath(args[0] ?? '', scopes)
    const depth = scopes.filter(({ isLoop }) => isLoop).length + 1
    // A missing list is empty, as at the provider.
    const start = `{% assign list${depth} = ${list} | default: "" %}{% for item${depth} in list${depth} %}`
    return list && open(start, '{% endfor %}', `item${depth}`, true)
  }
  if (helper === 'unless' && args.length === 1) {
    const condition = operand(args[0] ?? '', scopes)
    return condition && open(`{% unless ${condition} %}`, '{% endunless %}')
  }
  if (helper === 'with' && args.length === 1) {
    const base = resolvePath(args[0] ?? '', scopes)
    return base && open(`{% if ${base} %}`, '{% endif %}', base)
  }
  const condition = conditionOf(helper, args, scopes)
  if (condition) return open(`{% if ${condition} %}`, '{% endif %}')
  // `{{#person}}` shows its content with the fields of the person.
  const base = args.length === 0 ? resolvePath(helper, scopes) : null
  return base && open(`{% if ${base} %}`, '{% endif %}', base)
}

/** Opens `{{^name}}`, which shows its content if the value is missing. */
export const openInverse: Translate = (inside, scopes) => {
  const path = resolvePath(inside, scopes)
  if (path === null) return null
  scopes.push({ closes: inside.trim(), end: '{% endunless %}', base: null, isLoop: false })
  return `{% unless ${path} %}`
}

export const closeBlock: Translate = (inside, scopes) => {
  const wanted = inside.trim()
  if (scopes.at(-1)?.closes !== wanted) return null
  return scopes.pop()?.end ?? null
}

/** Translates `else` and `else if`. */
export const elseOf: Translate = (inside, scopes) => {
  const open = scopes.at(-1)
  if (!open) return null
  const [, ...rest] = wordsOf(inside)
  if (rest.length === 0) {
    // What follows is outside the list or the object.
    open.base = null
    open.isLoop = false
    return '{% else %}'
  }
  if (open.end !== '{% endif %}') return null
  const condition = conditionOf(rest[0] ?? '', rest.slice(1), scopes)
  return condition && `{% elsif ${condition} %}`
}
