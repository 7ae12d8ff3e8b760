import type { Verdict } from './verdicts.ts'

/**
 * Returns the expressions that product files build when they are loaded, for example from word lists. Expressions that
 * a function builds when it is called are not included.
 */
export interface Excuse {
  most: number
  reason: string
}

/** `linear enough: at most 200 characters, which the schema of the field sees to` */
const form = /\blinear enough: at most ([\d,]{1,12}) characters, (\S.{9,})/
const begun = 'linear enough'

/** Returns the excuse in a comment, or an error message if it is incomplete. */
export function readExcuse(comment: string): Excuse | string | undefined {
  if (!comment.includes(begun)) return undefined
  const [, most = '', reason = ''] = form.exec(comment) ?? []
  if (reason === '')
    return 'its excuse must have the form `linear enough: at most <number> characters, <what limits them>`'
  return { most: Number(most.replaceAll(',', '')), reason }
}

/**
 * True if no part repeats without a limit. The expression then reads a limited number of characters from each start
 * position.
 */
const isBounded = (source: string): boolean =>
  !/[*+]|\{\d+,\}/.test(source.replace(/\\[\s\S]/g, '').replace(/\[[^[\]]*\]/g, ''))

/** Number of steps of an expression that take about ten milliseconds. */
const mostSteps = 1e7

/**
 * Returns the fault of an expression, from the verdict of the checker and the excuse in its comment. Returns
 * `undefined` if there is no fault.
 */
export function findFault(source: string, found: Verdict, excuse: Excuse | undefined): string | undefined {
  if (found.status === 'safe') {
    // Verdicts of fuzzing can also be excused, because they depend on the available time.
    return excuse && !found.isFuzz ? 'its excuse is not needed: it is linear' : undefined
  }
  const degree = found.status === 'vulnerable' && isBounded(source) ? 2 : (found.degree ?? Number.POSITIVE_INFINITY)
  if (excuse && excuse.most ** degree <= mostSteps) return undefined
  const what = found.status === 'unknown' ? `could not be checked (${found.summary})` : `is ${found.summary}`
  const attack = found.attack === undefined ? '' : `, by ${found.attack}`
  const beyond = excuse ? `; ${excuse.most} characters are too many` : ''
  return `${what}${attack}${beyond}`
}
