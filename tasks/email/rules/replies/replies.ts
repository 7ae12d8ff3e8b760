import type { ClassName } from './classes.ts'

/**
 * A rule applies if all its conditions are true. The first rule that applies decides. Email addresses that a reply
 * repeats are removed before rules are applied (`words.ts`).
 */
export interface Rule {
  is: ClassName
  code?: RegExp
  /** Enhanced status code (RFC 3463). The first digit can contradict the code, so rules check the digits after it. */
  enhanced?: RegExp
  text?: RegExp
  /**
   * Words that blame the message or its sender. Words of the message itself, such as its subject, are removed before.
   */
  blame?: RegExp
  /** True if the reply must name this installation’s IP address or host. */
  namesUs?: true
  stage?: RegExp
}

/** Matches enhanced codes without a reason (RFC 3463: other, undefined, or any policy), and a missing code. */
const vague = /^(?:$|5\.\d\.0$|5\.5\.\d+$|5\.7\.1$)/

const listed =
  /spamhaus|spamcop|barracuda|sorbs|dnsbl|uceprotect|senderscore|invaluement|abusix|\brbl\b|black-?list|block-?list|deny-?list|\b(?:listed|blocked|banned|bad|poor|low|reputation)\b/i
/** Matches if a link or another part of the message is listed. */
const listedPart =
  // linear enough: at most 500 characters, the stored length of a reply
  /\b(?:links?|ur[il]s?|web ?sites?|body|attachments?)\b.{0,120}(?:listed|block|black|reputation|spamhaus)|(?:listed|block|black|reputation).{0,60}\b(?:links?|ur[il]s?|web ?sites?|body)\b|\bsurbl\b|\buribl\b/i
/** Matches if the address or domain of the sender is listed, or the recipient has a private list. */
const listedSender =
  // linear enough: at most 500 characters, the stored length of a reply
  /\bsender(?:'s)?(?: (?:address|domain|e-?mail))?\b(?! (?:ip|host|server)).{0,60}(?:listed|block|black)|(?:block|black|deny)-?list.{0,20}\b(?:of|by|for) (?:this|the|its|your) (?:recipient|user|mailbox)|(?:recipient|user|mailbox)(?:'s)? (?:personal )?(?:block|black|deny)-?list|blocked by (?:the |this )?(?:recipient|user)/i
/** Matches if the client is listed, in replies that do not name the client. */
const listedClient =
  // linear enough: at most 500 characters, the stored length of a reply
  /\bS31[45]0\b|\[BL\d+\]|banned sending ip|(?:client|your|sending|connecting|remote|source|sender|the) (?:mta|ip|host|server|network)(?:'s)?(?: address)?(?: \S{1,80}){0,3} (?:listed|blocked|banned|black-?listed|block-?listed|reputation)|(?:client|your|sending|connecting|remote|source|sender|the) (?:ip|host|server)(?: address)? .{0,60}(?:spamhaus|spamcop|barracuda|dnsbl|black-?list|block-?list|\brbl\b)|(?:poor|bad|low) (?:\S{1,20} )?reputation/i
const absent =
  // linear enough: at most 500 characters, the stored length of a reply
  /no such (?:user|mailbox|recipient|address|person|account)|(?:user|mailbox|recipient|account|address)(?: \S{1,80})? (?:is )?(?:unknown|not found|does(?: not|n't) exist|not exist|not known|invalid|unavailable)|unknown (?:user|recipient|mailbox|local[- ]part|address)|invalid (?:recipient|mailbox|address)|does(?: not|n't) (?:exist|have an? (?:\S{1,80} )?account)|not a valid (?:mailbox|recipient|user)|recipient (?:address )?rejected: (?:user|undeliverable|unknown)|unrouteable address|no mailbox (?:here|by that name)|not our customer|recipient ?not ?found|user doesn't have/i
const spam =
  /spam|unsolicited|bulk mail|junk|phish|virus|malware|content (?:rejected|filter|policy)|(?:its|the|your) content\b|suspicious/i
const limited =
  // linear enough: at most 500 characters, the stored length of a reply
  /rate.?limit|too (?:many|much|fast|frequent)|throttl|exceed\w{0,9} (?:the )?(?:rate|limit|quota|number|max)|(?:unusual|high) rate|try (?:again|your)[^.]{0,200} later.{0,200}connect|connection (?:rate|limit)|server busy|resources? (?:temporarily )?(?:unavailable|exhausted)/i
const full =
  /over ?quota|quota exceeded|exceeded (?:its |the |his |their )?(?:storage|mailbox|quota)|mailbox (?:is )?(?:over )?full|insufficient (?:mailbox )?storage|storage (?:is )?(?:full|exceeded)|out of storage|mailbox size/i
const disabled =
  // linear enough: at most 500 characters, the stored length of a reply
  /(?:account|mailbox|user|recipient)(?: \S{1,80}){0,3} (?:disabled|inactive|suspended|expired|deactivated|locked)/i
const unauthenticated =
  /\bSPF\b|\bDKIM\b|\bDMARC\b|unauthenticated|authentication (?:level|required|failed|check)|5\.7\.515|reverse (?:dns|hostname)|\bPTR\b/i
const late =
  /retry time ?(?:out|not reached)|retry timeout exceeded|(?:in the queue|queued|undeliverable|retried) (?:for )?too long|message (?:has )?expired|delivery time ?(?:d )?(?:out|expired)/i

/** Rules for 4yz replies, which are never permanent. */
export const transient: readonly Rule[] = [
  { is: 'complained_about', blame: /\[TSS0?4\]|user complaints/i },
  { is: 'greylisted', blame: /gr[ae]y.?list|gr[ae]y.?trap/i },
  { is: 'rate_limited', blame: /\[TSS?\d+\]|\[TS\d+\]/ },
  { is: 'recipient_busy', enhanced: /^4\.2\.1$/ },
  { is: 'recipient_busy', text: /receiving mail (?:too quickly|at a rate)/i },
  { is: 'mailbox_full', enhanced: /\.2\.2$/ },
  { is: 'mailbox_full', code: /^45[0-2]$/, text: full },
  { is: 'temporary', blame: listedPart },
  { is: 'temporary', blame: listedSender },
  { is: 'blocked', namesUs: true, blame: listed },
  { is: 'blocked', blame: listedClient },
  { is: 'rate_limited', enhanced: /^4\.7\.(?:28|[5-6]\d\d)$/ },
  { is: 'rate_limited', code: /^421$/, enhanced: /^4\.7\.(?!5$)\d+$/ },
  { is: 'rate_limited', blame: limited },
  { is: 'closing', code: /^421$/ },
  { is: 'temporary' },
]

/**
 * Rules for 5yz replies. If an enhanced code has a reason, the code decides before the words. If the code is vague, the
 * words decide.
 */
export const permanent: readonly Rule[] = [
  // Rules about the recipient. Exchange uses 5.1.10 and 5.4.1 with its own reasons.
  { is: 'invalid_recipient', enhanced: /^5\.1\.[136]$/ },
  { is: 'invalid_recipient', enhanced: /^5\.1\.10$/, text: /recipient ?not ?found/i },
  { is: 'invalid_recipient', enhanced: /^5\.4\.1$/, text: /recipient address rejected: access denied/i },
  { is: 'invalid_domain', enhanced: /^5\.(?:1\.2|1\.10|7\.18)$/ },
  { is: 'owner_changed', enhanced: /^5\.7\.17$/ },
  { is: 'recipient_disabled', enhanced: /^5\.2\.1$/ },
  { is: 'mailbox_full', enhanced: /\.2\.2$/ },
  { is: 'too_large', enhanced: /^5\.(?:2\.3|3\.4)$/ },
  { is: 'content', enhanced: /^5\.(?:6\.\d+|7\.512)$/ },
  { is: 'authentication', enhanced: /^5\.7\.(?:2[0-6]|30|515|509)$/ },
  { is: 'bad_sender', enhanced: /^5\.(?:1\.[78]|7\.27)$/ },
  { is: 'blocked', enhanced: /^5\.7\.(?:511|6[0-4]\d|708)$/ },
  { is: 'routing', enhanced: /^5\.4\.(?:4|31\d)$/ },
  { is: 'loop', enhanced: /^5\.4\.(?:6|14)$/ },
  { is: 'expired', enhanced: /^5\.4\.7$/ },

  { is: 'content', enhanced: vague, blame: listedPart },
  { is: 'policy', enhanced: vague, blame: listedSender },
  { is: 'blocked', enhanced: vague, namesUs: true, blame: listed },
  { is: 'blocked', enhanced: vague, blame: listedClient },
  { is: 'mailbox_full', text: full },
  // linear enough: at most 500 characters, the stored length of a reply
  { is: 'too_large', text: /(?:message|mail|size)(?: \S{1,80}){0,3} (?:too (?:large|big)|exceeds)/i },
  { is: 'authentication', enhanced: /^5\.7\.\d+$/, blame: unauthenticated },
  { is: 'content', enhanced: /^5\.7\.\d+$/, blame: spam },
  { is: 'invalid_recipient', stage: /^(?:RCPT|DOT)$/, text: absent },
  { is: 'recipient_disabled', text: disabled },
  { is: 'authentication', blame: unauthenticated },
  { is: 'content', blame: spam },
  { is: 'content', code: /^554$/, stage: /^DOT$/, blame: /content/i },
  { is: 'policy', enhanced: /^5\.7\.\d+$/ },
  {
    is: 'policy',
    blame: /polic(?:y|ies)|access denied|relay(?:ing)? (?:access )?denied|not permitted|administrative prohibition/i,
  },
  { is: 'expired', text: late },
  { is: 'bad_sender', stage: /^MAIL$/ },
  { is: 'protocol', enhanced: /^5\.5\.\d+$/ },
  { is: 'protocol', code: /^50[0-4]$/ },
  { is: 'unknown' },
]
