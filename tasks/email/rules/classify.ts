import type { Reply } from '#sql/email/attempts.ts'
import type { ClassName } from './classes.ts'
import { permanent, type Rule, transient } from './replies.ts'

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

/** A delivery report that says `failed`: its status (RFC 3463) and what the server said. */
interface DeliveryReport {
  status: string | null
  diagnostic: string | null
}

/** `550 5.1.1 …` or `550-5.1.1 …`, as a server has said it. */
const spoken = /^([245]\d\d)[ -](?:(\d\.\d{1,3}\.\d{1,3})[ -])?/

/**
 * The class of a report by the rules of replies: a server that took a message first means by `5.1.1` what one means that refuses it. A
 * transient refusal in a report is the last word all the same: its server has tried for as long as it does.
 */
export function classifyReport({ status, diagnostic }: DeliveryReport): ClassName {
  const [, said, enhanced] = spoken.exec(diagnostic ?? '') ?? []
  const code = said === undefined ? (status?.startsWith('4') ? 450 : 550) : Number(said)
  const refusal = { stage: 'DOT', code, enhanced: enhanced ?? status, text: diagnostic ?? '' }
  if (code >= 500) return matching(permanent, refusal)
  return matching(transient, refusal) === 'mailbox_full' ? 'mailbox_full' : 'expired'
}

function matching(rules: readonly Rule[], { code, enhanced, text, stage }: Refusal): ClassName {
  const holds = (rule: Rule) =>
    (rule.code?.test(String(code)) ?? true) &&
    (rule.enhanced?.test(enhanced ?? '') ?? true) &&
    (rule.text?.test(text) ?? true) &&
    (rule.stage?.test(stage) ?? true)
  return (rules.find(holds) as Rule).is
}
