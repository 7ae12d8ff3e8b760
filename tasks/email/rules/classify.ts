import type { Reply } from '#sql/email/attempts.ts'
import type { ClassName } from './classes.ts'
import { permanent, type Rule, transient } from './replies.ts'
import { namesOne, type OwnWords, type ReplyWords, wordsOf } from './reply-words.ts'

/** A reply as it is judged: by stage, code, enhanced code and text together. */
export type Refusal = Pick<Reply, 'stage' | 'code' | 'enhanced' | 'text'>

/** What a reply may repeat, and what is known of who sent the message. */
export interface Known {
  /** The message that was refused. */
  message?: OwnWords
  /** Our IP addresses and host name that the server sees. */
  us?: readonly string[]
}

/**
 * The class of a reply that refuses a message. The code decides whether it is the last word, the enhanced code why, and words only where
 * that code is vague.
 */
export function classify(refusal: Refusal, known: Known = {}): ClassName {
  const { code, stage } = refusal
  if (code === null) return 'broken'
  // No word on the message before MAIL: another host, or another day, may take it (RFC 5321 §3.1).
  const beforeMail = stage !== 'MAIL' && stage !== 'RCPT' && stage !== 'DATA' && stage !== 'DOT'
  const found = matching(code < 500 ? transient : permanent, refusal, known)
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
export function classifyReport({ status, diagnostic }: DeliveryReport, message: OwnWords = {}): ClassName {
  const [, said, enhanced] = spoken.exec(diagnostic ?? '') ?? []
  const code = said === undefined ? (status?.startsWith('4') ? 450 : 550) : Number(said)
  const refusal = { stage: 'DOT', code, enhanced: enhanced ?? status, text: diagnostic ?? '' }
  if (code >= 500) return matching(permanent, refusal, { message })
  return matching(transient, refusal, { message }) === 'mailbox_full' ? 'mailbox_full' : 'expired'
}

function matching(rules: readonly Rule[], refusal: Refusal, { message, us = [] }: Known): ClassName {
  const words = wordsOf(refusal.text, message)
  const namesUs = namesOne(words.text, us)
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
