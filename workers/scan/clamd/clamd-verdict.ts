import type { Verdict } from '../verdict.ts'

/** What clamd finds when it could not look at all of it, by the names it gives that (clamd.conf(5), Alert…). */
const unscannable = /^Heuristics\.(Limits\.|Encrypted\.)/

/** What it finds that need not be malware. */
const suspicious = /^Heuristics\.(OLE2\.ContainsMacros|Broken\.|Structured\.)/

/** What is made of clamd's answer to a stream (clamd(8), INSTREAM): clean is only what it calls clean in so many words. */
export function verdictOf(answer: string): Verdict {
  if (answer === 'stream: OK') return { status: 'clean' }
  const [, name] = /^stream: (.+) FOUND$/.exec(answer) ?? []
  if (name !== undefined) return foundAs(name)
  if (answer.includes('INSTREAM size limit exceeded')) return { status: 'unscannable', signature: 'StreamMaxLength' }
  return { status: 'error', signature: answer }
}

function foundAs(signature: string): Verdict {
  if (unscannable.test(signature)) return { status: 'unscannable', signature }
  if (suspicious.test(signature)) return { status: 'suspicious', signature }
  return { status: 'infected', signature }
}
