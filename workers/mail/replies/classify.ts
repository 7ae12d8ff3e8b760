import type { Reply } from '#sql/email/attempts.ts'
import type { ClassName } from './classes.ts'
import { permanent, type Rule, transient } from './rules.ts'

/** A reply as it is judged: by stage, code, enhanced code and text together. */
export type Refusal = Pick<Reply, 'stage' | 'code' | 'enhanced' | 'text'>

/** The class of a reply that refuses; the code decides whether it is the last word, the enhanced one why. */
export function classify(refusal: Refusal): ClassName {
  const { code, stage } = refusal
  if (code === null) return 'broken'
  // No word on the message before MAIL: another host, or another day, may take it (RFC 5321 §3.1).
  const beforeMail = stage !== 'MAIL' && stage !== 'RCPT' && stage !== 'DATA' && stage !== 'DOT'
  const found = matching(code < 500 ? transient : permanent, refusal)
  if (!beforeMail || found === 'blocked' || found === 'rate_limited' || found === 'complained_about') return found
  return code === 421 ? 'closing' : 'unreachable'
}

function matching(rules: readonly Rule[], { code, enhanced, text, stage }: Refusal): ClassName {
  const holds = (rule: Rule) =>
    (rule.code?.test(String(code)) ?? true) &&
    (rule.enhanced?.test(enhanced ?? '') ?? true) &&
    (rule.text?.test(text) ?? true) &&
    (rule.stage?.test(stage) ?? true)
  return (rules.find(holds) as Rule).is
}
