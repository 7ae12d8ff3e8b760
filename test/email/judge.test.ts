import t from 'tap'
import type { Reply } from '#sql/email/delivery/attempts.ts'
import type { ClaimedMessage } from '#sql/email/delivery/claims.ts'
import { MessageBuildError, type Route, type SendResult } from '#tasks/email/engine.ts'
import { recoveryMs } from '#tasks/email/rules/delivery/connection-limits.ts'
import { evaluateLetterFault, evaluateResult } from '#tasks/email/rules/delivery/judge.ts'
import { UnsignableError } from '#tasks/email/rules/delivery/letters.ts'

const message = { id: 'a', attempts: 0, left_ms: 3_600_000 } as ClaimedMessage
const preset = { provider: 'other', connections: 10, perConnection: 100 }
const route = { mxSet: 'mx', preset, tls: 'opportunistic', isSmarthost: false } as unknown as Route
const verified: Route = { ...route, tls: 'verified' }
const peer = { host: 'mx.rcpt.example', address: '192.0.2.1', port: 25 }

const replyOf = (stage: string, code: number | null, text: string): Reply => ({
  stage,
  code,
  enhanced: null,
  text,
  ms: 5,
})
const sent = (outcome: 'accepted' | 'refused' | 'unknown' | 'broken', reply: Reply): SendResult => {
  return { outcome, reply, replies: [reply], peer, tls: null }
}
const unreachable = (lacksTls: boolean, ...replies: Reply[]): SendResult => {
  return { outcome: 'unreachable', lacksTls, replies, peer }
}

t.test('what a server took is delivered, what a smarthost took is sent, and more may follow', async (t) => {
  const accepted = sent('accepted', replyOf('DOT', 250, 'queued'))
  const after = { elsewhere: false, slowing: undefined, halts: false }
  t.match(evaluateResult(message, accepted, route), { verdict: { attempt: 'delivered', retryMs: null }, ...after })
  t.match(evaluateResult(message, accepted, { ...route, isSmarthost: true }), {
    verdict: { attempt: 'sent' },
    ...after,
  })
})

t.test('a refusal of one message leaves the set alone, one of the sender slows it', async (t) => {
  const unknown = sent('refused', replyOf('RCPT', 550, 'No such user here'))
  t.match(evaluateResult(message, unknown, route), {
    verdict: { outcome: { status: 'bounced', replyClass: 'invalid_recipient', suppress: 'bounce' } },
    elsewhere: false,
    slowing: undefined,
    halts: false,
  })
  const us = ['203.0.113.7', 'mta1.platform.example']
  const listed = (host: string) =>
    sent('refused', replyOf('RCPT', 554, `Client host ${host} blocked using zen.spamhaus.org`))
  for (const host of ['[203.0.113.7]', '[::ffff:203.0.113.7]', 'mta1.platform.example']) {
    t.match(evaluateResult(message, listed(host), route, us), {
      verdict: { outcome: { status: 'deferred', replyClass: 'blocked' } },
      slowing: { suspend: 3_600_000, recovery: recoveryMs, highest: 16, reply_class: 'blocked', reason: /spamhaus/ },
      elsewhere: true,
      halts: true,
    })
  }
  for (const host of ['[203.0.113.70]', '<mta1.platform.example@x.example>', '[198.51.100.7]']) {
    t.match(evaluateResult(message, listed(host), route, us), {
      verdict: { outcome: { status: 'deferred', replyClass: 'blocked' } },
      slowing: undefined,
      elsewhere: true,
      halts: false,
    })
  }
})

t.test('a message without a reply to its dot may have arrived', async (t) => {
  const lost = sent('unknown', replyOf('DOT', null, 'the connection was closed'))
  t.match(evaluateResult(message, lost, route).verdict, { attempt: 'unknown', outcome: { replyClass: 'unanswered' } })
  const before = sent('broken', replyOf('MAIL', null, 'ECONNRESET'))
  t.match(evaluateResult(message, before, route).verdict, { attempt: 'deferred', outcome: { replyClass: 'broken' } })
})

t.test('of a set that cannot be spoken to, the message is deferred and nothing more is sent', async (t) => {
  const classOf = (result: SendResult, over = route) => {
    const { verdict, halts } = evaluateResult(message, result, over)
    t.ok(halts)
    t.equal(verdict.outcome.status, 'deferred')
    return verdict.outcome.replyClass
  }
  const refused = replyOf('connect', null, 'ECONNREFUSED')
  t.equal(classOf(unreachable(false)), 'unreachable')
  t.equal(classOf(unreachable(false, refused)), 'unreachable')
  t.equal(classOf(unreachable(false, replyOf('dns', null, 'no answer'))), 'dns')
  t.equal(classOf(unreachable(false, replyOf('dns', null, 'no answer'), refused)), 'unreachable')
  t.equal(classOf(unreachable(false, replyOf('greeting', 421, 'busy'), refused)), 'closing', 'what was said counts')
  t.equal(classOf(unreachable(true, refused)), 'unreachable', 'TLS is not demanded')
  t.equal(classOf(unreachable(true, refused), verified), 'mta_sts')
  t.equal(classOf(unreachable(true, refused), { ...verified, isSmarthost: true }), 'tls')
  const { slowing } = evaluateResult(message, unreachable(false, refused), route)
  t.match(slowing, { suspend: 60_000, highest: 4 }, 'it is tried over one connection, and not more seldom')
  t.equal(evaluateResult(message, unreachable(false, replyOf('dns', null, 'no answer')), route).slowing, undefined)
})

t.test('a message of which no letter can be made fails, whoever is to blame', async (t) => {
  t.match(evaluateLetterFault(message, new MessageBuildError('Its body is too costly.')).outcome, {
    replyClass: 'too_costly',
  })
  t.match(evaluateLetterFault(message, new UnsignableError('No key.')).outcome, {
    status: 'failed',
    replyClass: 'unsignable',
  })
  t.match(evaluateLetterFault(message, new TypeError('a fault of ours')).outcome, { status: 'failed' })
})
