import type { Verdict } from '../verdict.ts'

/** What clamd finds when it could not look at all of it, by the names it gives that (clamd.conf(5), Alert…). */
const unscannable = /^Heuristics\.(Limits\.|Encrypted\.)/

/** What it finds that need not be malware. */
const suspicious = /^Heuristics\.(OLE2\.ContainsMacros|Broken\.|Structured\.)/

/**
 * What is made of clamd's answer about a file, or about a stream (clamd(8), SCAN and INSTREAM): clean is only what it calls clean
 * in so many words.
 */
export function verdictOf(answer: string, about = 'stream'): Verdict {
  if (answer === `${about}: OK`) return { status: 'clean' }
  if (answer.startsWith(`${about}: `)) {
    const [, name] = /^([^\0]+) FOUND$/.exec(answer.slice(about.length + 2)) ?? []
    if (name !== undefined) return foundAs(name)
  }
  if (answer.includes('INSTREAM size limit exceeded')) return { status: 'unscannable', signature: 'StreamMaxLength' }
  return { status: 'error', signature: answer }
}

function foundAs(signature: string): Verdict {
  if (unscannable.test(signature)) return { status: 'unscannable', signature }
  if (suspicious.test(signature)) return { status: 'suspicious', signature }
  return { status: 'infected', signature }
}
