import type { ClassName } from './classes.ts'

/** When a refusal is of a class: all that a rule names must hold, and the first rule that does decides. */
export interface Rule {
  is: ClassName
  code?: RegExp
  /** RFC 3463; its first digit may contradict the code, so rules look at what comes behind. */
  enhanced?: RegExp
  text?: RegExp
  stage?: RegExp
}

/** Lists of addresses that mail is not taken from, and what servers say that use them. */
const listed =
  // linear enough: at most 500 characters, which are kept of a reply
  /spamhaus|spamcop|barracuda|sorbs|dnsbl|uceprotect|senderscore|invaluement|abusix|\brbl\b|black-?list|block-?list|banned sending ip|\bS31[45]0\b|\[BL\d+\]|(?:your|sending|client|the) (?:ip|host|server)(?: address)?(?: \S{1,80})? (?:is |has been |was )?(?:listed|blocked|banned)|poor reputation/i
const absent =
  // linear enough: at most 500 characters, which are kept of a reply
  /no such (?:user|mailbox|recipient|address|person|account)|(?:user|mailbox|recipient|account|address)(?: \S{1,80})? (?:is )?(?:unknown|not found|does(?: not|n't) exist|not exist|invalid|unavailable)|unknown (?:user|recipient|mailbox|local part|address)|invalid (?:recipient|mailbox)|does(?: not|n't) (?:exist|have an? (?:\S{1,80} )?account)|not a valid (?:mailbox|recipient)|recipient (?:address )?rejected: (?:user|undeliverable|unknown)|unrouteable address|no mailbox here/i
const spam = /spam|unsolicited|bulk mail|junk|phish|virus|malware|content (?:rejected|filter|policy)|suspicious/i
const limited =
  // linear enough: at most 500 characters, which are kept of a reply
  /rate.?limit|too (?:many|much|fast|frequent)|throttl|exceed\w{0,9} (?:the )?(?:rate|limit|quota|number|max)|(?:unusual|high) rate|try (?:again|your)[^.]{0,200} later.{0,200}connect|connection (?:rate|limit)|server busy|resources? (?:temporarily )?(?:unavailable|exhausted)/i
const full =
  /over ?quota|quota exceeded|mailbox (?:is )?full|insufficient (?:mailbox )?storage|storage (?:is )?(?:full|exceeded)|out of storage|mailbox size/i
const unauthenticated =
  /\bSPF\b|\bDKIM\b|\bDMARC\b|unauthenticated|authentication (?:level|required|failed|check)|5\.7\.515|reverse dns|\bPTR\b/i

/** Of replies with 4yz: never the last word. */
export const transient: readonly Rule[] = [
  { is: 'complained_about', text: /\[TSS0?4\]|user complaints/i },
  { is: 'greylisted', text: /gr[ae]y.?list|gr[ae]y.?trap/i },
  { is: 'rate_limited', text: /\[TSS?\d+\]|\[TS\d+\]/ },
  { is: 'recipient_busy', enhanced: /^4\.2\.1$/ },
  { is: 'recipient_busy', text: /receiving mail (?:too quickly|at a rate)/i },
  { is: 'mailbox_full', enhanced: /\.2\.2$/ },
  { is: 'mailbox_full', code: /^452$/, text: full },
  { is: 'blocked', text: listed },
  { is: 'rate_limited', enhanced: /^4\.7\.(?!5$)\d+$/ },
  { is: 'rate_limited', text: limited },
  { is: 'closing', code: /^421$/ },
  { is: 'temporary' },
]

/** Of replies with 5yz. */
export const permanent: readonly Rule[] = [
  // What providers say in words of their own comes before the codes that they say it with.
  { is: 'authentication', enhanced: /^5\.7\.(?:2[0-6]|30|515|509)$/ },
  { is: 'bad_sender', enhanced: /^5\.(?:1\.[78]|7\.27)$/ },
  { is: 'invalid_domain', enhanced: /^5\.(?:1\.2|1\.10|7\.18)$/ },
  { is: 'owner_changed', enhanced: /^5\.7\.17$/ },
  { is: 'blocked', enhanced: /^5\.7\.(?:606|607|511|512|6[0-4]\d)$/ },
  { is: 'blocked', text: listed },
  { is: 'mailbox_full', enhanced: /\.2\.2$/ },
  { is: 'mailbox_full', text: full },
  { is: 'too_large', enhanced: /^5\.(?:2\.3|3\.4)$/ },
  // linear enough: at most 500 characters, which are kept of a reply
  { is: 'too_large', text: /(?:message|mail|size)(?: \S{1,80}){0,3} (?:too (?:large|big)|exceeds)/i },
  // 5.1.1 is said of policy, too.
  { is: 'authentication', enhanced: /^5\.(?:1\.1|7\.\d+)$/, text: unauthenticated },
  { is: 'content', enhanced: /^5\.(?:1\.1|7\.\d+)$/, text: spam },
  { is: 'invalid_recipient', enhanced: /^5\.1\.[136]$/ },
  { is: 'recipient_disabled', enhanced: /^5\.2\.1$/ },
  // Exchange Online says so of recipients that its directory does not have.
  { is: 'invalid_recipient', enhanced: /^5\.4\.1$/, text: /recipient address rejected: access denied/i },
  { is: 'routing', enhanced: /^5\.4\.4$/ },
  { is: 'expired', enhanced: /^5\.4\.7$/ },
  { is: 'loop', enhanced: /^5\.4\.6$/ },
  { is: 'invalid_recipient', stage: /^(?:RCPT|DOT)$/, text: absent },
  {
    is: 'recipient_disabled',
    // linear enough: at most 500 characters, which are kept of a reply
    text: /(?:account|mailbox|user|recipient)(?: \S{1,80}){0,3} (?:disabled|inactive|suspended|expired|deactivated)/i,
  },
  { is: 'authentication', text: unauthenticated },
  { is: 'content', enhanced: /^5\.6\.\d+$/ },
  { is: 'content', text: spam },
  { is: 'content', code: /^554$/, stage: /^DOT$/, text: /content/i },
  { is: 'policy', enhanced: /^5\.7\.\d+$/ },
  {
    is: 'policy',
    text: /polic(?:y|ies)|access denied|relay(?:ing)? (?:access )?denied|not permitted|administrative prohibition/i,
  },
  { is: 'bad_sender', stage: /^MAIL$/ },
  { is: 'protocol', enhanced: /^5\.5\.\d+$/ },
  { is: 'protocol', code: /^50[0-4]$/ },
  { is: 'unknown' },
]
