import type { Verdict } from './verdict.ts'

/** What clamd finds when it could not look at all of it, by the names it gives that (clamd.conf(5), Alert…). */
const unscannable = /^Heuristics\.(Limits\.|Encrypted\.)/

/** What it finds that need not be malware. */
const suspicious = /^Heuristics\.(OLE2\.ContainsMacros|Broken\.|Structured\.)/

/** What is made of clamd's answer to a stream: clean is only what it calls clean in so many words. */
export function verdictOf(answer: unknown): Verdict {
  const { isInfected, viruses, timeout, resultString } = (answer ?? {}) as Record<string, unknown>
  const name = Array.isArray(viruses) ? viruses[0] : undefined
  if (isInfected === true) return foundAs(typeof name === 'string' ? name : 'unknown')
  const isOk = typeof resultString === 'string' && /^stream: OK\0?$/.test(resultString)
  if (isInfected === false && timeout === false && isOk) return { status: 'clean' }
  const message = answer instanceof Error ? answer.message : String(resultString)
  if (/INSTREAM size limit exceeded/.test(message)) return { status: 'unscannable', signature: 'StreamMaxLength' }
  return { status: 'error', signature: message }
}

function foundAs(signature: string): Verdict {
  if (unscannable.test(signature)) return { status: 'unscannable', signature }
  if (suspicious.test(signature)) return { status: 'suspicious', signature }
  return { status: 'infected', signature }
}
