import type { Diagnostics } from 'recheck'

/** Why an expression that is not linear is fast all the same: no more than so many characters come to it. */
export interface Excuse {
  most: number
  reason: string
}

/** `linear enough: at most 200 characters, which the schema of the field sees to` */
const form = /\blinear enough: at most ([\d,]{1,12}) characters, (\S.{9,})/
const begun = 'linear enough'

/** Reads the excuse of a comment; a sentence when it is no whole one. */
export function excuseOf(comment: string): Excuse | string | undefined {
  if (!comment.includes(begun)) return undefined
  const [, most = '', reason = ''] = form.exec(comment) ?? []
  if (reason === '') return 'its excuse must read `linear enough: at most <number> characters, <what sees to it>`'
  return { most: Number(most.replaceAll(',', '')), reason }
}

/** Whether nothing in it repeats without end: from each beginning it looks at no more than so many characters. */
const isBounded = (source: string): boolean =>
  !/[*+]|\{\d+,\}/.test(source.replace(/\\[\s\S]/g, '').replace(/\[[^[\]]*\]/g, ''))

/** Steps of an expression that are taken within some ten milliseconds. */
const mostSteps = 1e7

/** What is wrong with an expression, as the checker has judged it and its comment excuses it; undefined when nothing is. */
export function faultOf(found: Diagnostics, excuse: Excuse | undefined): string | undefined {
  if (found.status === 'safe') {
    // What only no attack was found on may be excused, too: that depends on the time there was.
    const isProven = !found.complexity.isFuzz
    return excuse && isProven ? 'its excuse is not needed: it is linear' : undefined
  }
  if (excuse && excuse.most ** degreeOf(found) <= mostSteps) return undefined
  const what =
    found.status === 'unknown' ? `could not be judged (${found.error.kind})` : `is ${found.complexity.summary}`
  const attack = found.status === 'vulnerable' ? `, by ${found.attack.pattern}` : ''
  const beyond = excuse ? `; ${excuse.most} characters are too many for that` : ''
  return `${what}${attack}${beyond}`
}

/** The power of the length that it takes; what could not be judged is taken for squares. */
function degreeOf(found: Exclude<Diagnostics, { status: 'safe' }>): number {
  if (found.status === 'unknown' || isBounded(found.source)) return 2
  return found.complexity.type === 'polynomial' ? found.complexity.degree : Number.POSITIVE_INFINITY
}
