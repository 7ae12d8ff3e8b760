import type { Reply } from '#sql/email/delivery/attempts.ts'
import type { ClassName } from './classes.ts'
import { permanent, type Rule, transient } from './replies.ts'
import { getReplyWords, type MessageWords, mentionsAny, type ReplyWords } from './words.ts'

export type Refusal = Pick<Reply, 'stage' | 'code' | 'enhanced' | 'text'>

/** Words that a reply may repeat, and this installation’s names that it may contain. */
export interface Known {
  message?: MessageWords
  /** This installation’s IP addresses and host name, as the server sees them. */
  us?: readonly string[]
}

/**
 * Returns the class of a rejecting reply. The code decides whether the rejection is permanent. The enhanced code
 * decides the reason. The words only matter if the enhanced code is vague.
 */
export function classify(refusal: Refusal, known: Known = {}): ClassName {
  const { code, stage } = refusal
  if (code === null) return 'broken'
  // Before MAIL, the reply is not about the message. Another host or a later attempt may work (RFC 5321 §3.1).
  const beforeMail = stage !== 'MAIL' && stage !== 'RCPT' && stage !== 'DATA' && stage !== 'DOT'
  const found = matching(code < 500 ? transient : permanent, refusal, known)
  if (!beforeMail || found === 'blocked' || found === 'rate_limited' || found === 'complained_about') return found
  return code === 421 ? 'closing' : 'unreachable'
}

/** Status (RFC 3463) and server text of a delivery report with `failed`. */
interface DeliveryReport {
  status: string | null
  diagnostic: string | null
}

/** Matches `550 5.1.1 …` and `550-5.1.1 …`. */
const spoken = /^([245]\d\d)[ -](?:(\d\.\d{1,3}\.\d{1,3})[ -])?/

/**
 * Returns the class of a report by the same rules as replies. A temporary rejection in a report is permanent, because
 * its server has already retried.
 */
export function classifyReport({ status, diagnostic }: DeliveryReport, message: MessageWords = {}): ClassName {
  const [, said, enhanced] = spoken.exec(diagnostic ?? '') ?? []
  const code = said === undefined ? (status?.startsWith('4') ? 450 : 550) : Number(said)
  const refusal = { stage: 'DOT', code, enhanced: enhanced ?? status, text: diagnostic ?? '' }
  if (code >= 500) return matching(permanent, refusal, { message })
  return matching(transient, refusal, { message }) === 'mailbox_full' ? 'mailbox_full' : 'expired'
}

function matching(rules: readonly Rule[], refusal: Refusal, { message, us = [] }: Known): ClassName {
  const words = getReplyWords(refusal.text, message)
  const namesUs = mentionsAny(words.text, us)
  return (rules.find((rule) => holds(rule, refusal, words, namesUs)) as Rule).is
}

const holds = (
  rule: Rule,
  { code, enhanced, stage }: Refusal,
  { text, blame }: ReplyWords,
  namesUs: boolean,
): boolean =>
  (rule.code?.test(String(code)) ?? true) &&
  (rule.enhanced?.test(enhanced ?? '') ?? true) &&
  (rule.text?.test(text) ?? true) &&
  (rule.blame?.test(blame) ?? true) &&
  (rule.stage?.test(stage) ?? true) &&
  (namesUs || rule.namesUs === undefined)
