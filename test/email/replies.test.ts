import t from 'tap'
import type { ClaimedMessage } from '#sql/email/delivery/claims.ts'
import type { Route } from '#tasks/email/engine.ts'
import { evaluateResult } from '#tasks/email/rules/delivery/judge.ts'
import { retryAfter } from '#tasks/email/rules/delivery/retry-schedule.ts'
import { createAccepted, createRefused } from '#tasks/email/rules/delivery/verdict.ts'
import { type ClassName, classes, getReplyClass } from '#tasks/email/rules/replies/classes.ts'
import { classify, classifyReport } from '#tasks/email/rules/replies/classify.ts'
import { readReply } from '../../workers/mail/smtp/dialogue.ts'
import { us, message as worded, wordings } from './reply-wordings.ts'

/** Replies as servers give them; the stage is RCPT unless said. */
const replies: [reply: string, ClassName, stage?: string][] = [
  ['550 5.1.1 <a@b.example>: Recipient address rejected: User unknown in local recipient table', 'invalid_recipient'],
  [
    '550-5.1.1 The email account that you tried to reach does not exist.\n550-5.1.1 Please try double-checking\n550 5.1.1 https://support.google.com/mail/?p=NoSuchUser d2e1a72 - gsmtp',
    'invalid_recipient',
  ],
  ['550 No such user here', 'invalid_recipient'],
  ['550 Requested action not taken: mailbox unavailable', 'invalid_recipient'],
  ["554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0]", 'invalid_recipient', 'DOT'],
  ['550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).', 'invalid_recipient'],
  [
    '550 5.4.1 Recipient address rejected: Access denied. [AM7EUR06FT048.eop-eur06.prod.protection.outlook.com]',
    'invalid_recipient',
  ],
  ['550 5.1.3 Bad destination mailbox address syntax', 'invalid_recipient'],
  // An enhanced code that names a reason decides, whatever the words are.
  ['550 5.1.1 Message rejected as spam by content filtering', 'invalid_recipient'],
  ['550 5.1.2 Host unknown', 'invalid_domain'],
  ['556 5.1.10 Recipient address has null MX', 'invalid_domain'],
  ['550 5.7.17 Mailbox owner has changed', 'owner_changed'],
  ['550 5.2.1 The email account that you tried to reach is disabled', 'recipient_disabled'],
  ['552 5.2.2 Mailbox full', 'mailbox_full'],
  ['452-4.2.2 The email account that you tried to reach is over quota\n452 4.2.2 gsmtp', 'mailbox_full'],
  ['554 5.2.2 mailbox full', 'mailbox_full'],
  ['552 5.3.4 Message size exceeds fixed limit', 'too_large', 'MAIL'],
  ['552 5.2.3 Message too large', 'too_large', 'DOT'],
  ['554 5.7.1 Message content rejected', 'content', 'DOT'],
  ['550 5.6.0 Lone CR or LF in headers', 'content', 'DOT'],
  [
    '550-5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited mail.\n550 5.7.1 gsmtp',
    'content',
    'DOT',
  ],
  ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'blocked'],
  [
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list",
    'blocked',
    'greeting',
  ],
  ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'blocked'],
  [
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your ISP since part of their network is on our block list (S3140).",
    'blocked',
    'MAIL',
  ],
  ['421 4.7.0 Client host blocked using barracudacentral', 'blocked', 'greeting'],
  [
    '550 5.7.515 Access denied, sending domain sender.example does not meet the required authentication level',
    'authentication',
    'DOT',
  ],
  ['550-5.7.26 This mail is unauthenticated, which poses a security risk\n550 5.7.26 gsmtp', 'authentication', 'DOT'],
  ['550 5.7.25 The IP address sending this message does not have a PTR record', 'authentication', 'DOT'],
  ['550 5.7.23 SPF validation failed', 'authentication'],
  ['550 Message rejected: failed DMARC policy', 'authentication', 'DOT'],
  ['553 5.1.8 <a@b.example>: Sender address rejected: Domain not found', 'bad_sender', 'MAIL'],
  ['550 5.7.27 Sender address has null MX', 'bad_sender', 'MAIL'],
  ['554 5.7.1 <a@b.example>: Relay access denied', 'policy'],
  ['550 5.7.1 Delivery not authorized', 'policy'],
  ['554 5.4.6 Too many hops', 'loop', 'DOT'],
  ['503 5.5.1 Bad sequence of commands', 'protocol', 'DATA'],
  ['502 Command not implemented', 'protocol', 'DATA'],
  ['550 5.0.0 Nope', 'unknown'],
  ['450 4.2.0 <a@b.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/', 'greylisted'],
  ['451 4.7.1 Greylisting in action, please come back later', 'greylisted'],
  [
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
    'complained_about',
    'MAIL',
  ],
  ['421 4.7.0 [TS01] Messages from 192.0.2.1 temporarily deferred due to unexpected volume', 'rate_limited', 'MAIL'],
  ['421-4.7.28 Our system has detected an unusual rate of unsolicited mail\n421 4.7.28 gsmtp', 'rate_limited', 'DOT'],
  ['451 4.7.500 Server busy. Please try again later', 'rate_limited'],
  ['452 too many connections from your host', 'rate_limited'],
  ['450-4.2.1 The user you are trying to contact is receiving mail too quickly.\n450 4.2.1 gsmtp', 'recipient_busy'],
  ['421 4.3.2 Service shutting down', 'closing'],
  ['451 4.3.0 Temporary lookup failure', 'temporary'],
  // The code decides whether it is the last word, whatever the enhanced one begins with.
  ['450 5.1.1 User unknown', 'temporary'],
  ['550 4.1.1 User unknown', 'invalid_recipient'],
  ['554 no SMTP service here', 'unreachable', 'greeting'],
]

t.test('a reply is of the class that its code, its words and its stage say together', async (t) => {
  for (const [reply, wanted, stage = 'RCPT'] of replies)
    t.equal(classify({ stage, ...readReply(reply) }), wanted, reply)
  t.ok(new Set(replies.map(([, found]) => found)).size >= 20)
})

t.test(
  'each of 80 real wordings is about its recipient, its message, its sender or our address, and stops no mail of others',
  async (t) => {
    t.ok(wordings.length >= 80, `${wordings.length} wordings`)
    const preset = { provider: 'other', connections: 10, perConnection: 100 }
    const route = { mxSet: 'mx', preset, tls: 'opportunistic', isSmarthost: false } as unknown as Route
    const peer = { host: 'mx.rcpt.example', address: '192.0.2.1', port: 25 }
    for (const { reply, stage = 'RCPT', is, suspends = false, said } of wordings) {
      const given = { ...message(), ...worded, ...said }
      const one = { stage, ...readReply(reply), ms: 1 }
      const isBefore = stage === 'greeting'
      const result = isBefore
        ? { outcome: 'unreachable' as const, replies: [one], peer, lacksTls: false }
        : { outcome: 'refused' as const, reply: one, replies: [one], peer, tls: null }
      const { verdict, slowing } = evaluateResult(given, result, route, us)
      t.equal(verdict.outcome.replyClass, is, reply)
      // A server that takes no session is left alone for a minute, whatever it says.
      if (isBefore && !suspends) t.equal(slowing?.suspend, 60_000, reply)
      else t.equal(slowing !== undefined, suspends, `suspends: ${reply}`)
      if (is === 'invalid_recipient') t.match(verdict.outcome, { status: 'bounced', suppress: 'bounce' }, reply)
    }
  },
)

t.test('a reply of several lines is read as one text without its codes', async (t) => {
  t.same(readReply('550-5.1.1 The account\n550-5.1.1 does not\r\n550 5.1.1 exist'), {
    code: 550,
    enhanced: '5.1.1',
    text: 'The account does not exist',
  })
  t.same(readReply('550 no code, but 5.1.1.2 in it'), { code: 550, enhanced: null, text: 'no code, but 5.1.1.2 in it' })
  t.equal(readReply(`550 ${'x'.repeat(5_000)}\0`).text.length, 500)
})

const message = (given: Partial<ClaimedMessage> = {}) =>
  ({ id: 'a', attempts: 0, left_ms: 3_600_000, ...given }) as ClaimedMessage
const reply = { stage: 'RCPT', code: 550, enhanced: '5.1.1', text: 'gone' }

t.test('each class decides retry, suppression, and what counts against the sender', async (t) => {
  for (const name of Object.keys(classes) as ClassName[]) {
    const { attempt, outcome, retryMs } = createRefused(message(), name, reply)
    const { action } = getReplyClass(name)
    if (action === 'retry') {
      t.equal(outcome.status, 'deferred', name)
      t.ok(retryMs && retryMs > 0, name)
      t.notOk(outcome.hard, name)
    } else {
      t.equal(outcome.status, action === 'fail' ? 'failed' : 'bounced', name)
      t.equal(retryMs, null)
    }
    t.equal(attempt, name === 'unanswered' ? 'unknown' : outcome.status, name)
  }
  const suppressing = (Object.keys(classes) as ClassName[]).filter(
    (name) => createRefused(message(), name, reply).outcome.suppress,
  )
  t.same(suppressing, ['invalid_recipient', 'invalid_domain', 'owner_changed'], 'at the first refusal only these')
  t.same(createRefused(message(), 'unknown', reply).strikes, { strikes: 2, withinMs: 86_400_000 })
  t.equal(createRefused(message({ attempts: 4 }), 'mailbox_full', reply).outcome.status, 'bounced')
  t.equal(createAccepted(message(), true).outcome.status, 'sent', 'a smarthost does not report delivery')
  t.equal(createAccepted(message(), false).outcome.status, 'delivered')
})

t.test('a message is given up as 4.4.7 when its time is over', async (t) => {
  const { outcome, retryMs } = createRefused(message({ left_ms: 500 }), 'temporary', { ...reply, code: 451 })
  t.match(outcome, { status: 'failed', replyClass: 'expired', reason: /^4\.4\.7 .*451/ })
  t.equal(retryMs, null)
})

t.test('attempts are made ever more seldom, and never all at once', async (t) => {
  const minutes = (attempt: number, random: number) =>
    Math.round(retryAfter(attempt, { action: 'retry' }, random) / 60_000)
  t.same(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 30].map((attempt) => minutes(attempt, 0.5)),
    [1, 5, 15, 30, 60, 120, 240, 360, 360, 360],
  )
  t.same([minutes(2, 0), minutes(2, 1)], [4, 6])
  t.ok(retryAfter(1, getReplyClass('greylisted'), 0) >= 300_000, 'greylisting: never sooner than in five minutes')
})

t.test('a report says of a recipient what a refusal says', (t) => {
  const said: [status: string | null, diagnostic: string | null, ClassName][] = [
    ['5.1.1', null, 'invalid_recipient'],
    ['5.0.0', '550 5.1.1 <a@b.example>: User unknown', 'invalid_recipient'],
    ['4.0.0', '550 No such user here', 'invalid_recipient'],
    ['5.2.1', null, 'recipient_disabled'],
    ['5.0.0', '550 This account is disabled', 'recipient_disabled'],
    ['5.2.2', null, 'mailbox_full'],
    ['4.2.2', null, 'mailbox_full'],
    ['5.0.0', '452 4.2.2 over quota', 'mailbox_full'],
    ['4.4.1', 'connect to mx.b.example: Connection timed out', 'expired'],
    ['5.4.7', null, 'expired'],
    [null, null, 'unknown'],
  ]
  for (const [status, diagnostic, is] of said) {
    t.equal(classifyReport({ status, diagnostic }), is, `${status} ${diagnostic}`)
  }
  for (const [reply, is, stage] of replies) {
    if (!/^55\d /.test(reply) || (stage !== undefined && stage !== 'DOT')) continue
    t.equal(classifyReport({ status: null, diagnostic: reply }), is, reply)
  }
  t.end()
})
