import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import * as topics from '#sql/email/topics.ts'
import { take as takeUsage } from '#sql/email/usage.ts'
import { sendCampaign } from '#tasks/email/expand-campaign.ts'
import { setTopics } from '#tasks/email/rules/consent/set-topics.ts'
import { unsubscribe } from '#tasks/email/rules/consent/unsubscribe.ts'
import { cancelCampaign } from '#tasks/email/withdraw-campaign.ts'
import { type Mail, startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { until } from '../support/until.ts'
import { addContacts } from './sending.ts'

const stack = await mailStack(t)
const { db, orgId, send, becomes, hurry } = stack
const held: (() => void)[] = []
let isBusy = false
let isHolding = false
const sink = await startSink(t, '127.0.0.1', 0, {
  onRcpt: () => (isBusy ? '450 4.2.1 Not now' : undefined),
  onMail: () => (isHolding ? new Promise((done) => held.push(() => done(undefined))) : undefined),
})
await stack.startWorkers({ MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}`, MAIL_CONCURRENCY: '2' })
const Nothing = sql.typeAlias('void')

/** Messages of this month's plan. */
const used = () =>
  db.oneFirst(sql.type(z.object({ messages: z.number() }))`
    select coalesce(sum(messages), 0)::integer as messages from email.usage where org_id = ${orgId}`)
const arrivals = (address: string) => sink.mails.filter(({ to }: Mail) => to === address).length

/** A message that was accepted, counted and deferred. */
async function deferred(to: string, stream: 'subscribed' | 'repermission' | 'transactional'): Promise<string> {
  isBusy = true
  await takeUsage(db, [{ org_id: orgId, messages: 1 }])
  const [id = ''] = await send({ to, stream })
  await becomes(id, 'deferred')
  isBusy = false
  return id
}

t.test('who unsubscribes while mail waits gets none of it, and the plan gets it back', async (t) => {
  for (const stream of ['subscribed', 'repermission'] as const) {
    const email = `${stream}@rcpt.example`
    const before = await used()
    const id = await deferred(email, stream)
    await db.transaction((tx) => unsubscribe(tx, { orgId, address: email, source: 'page', messageId: id }))
    await hurry()
    t.match(await becomes(id, 'suppressed'), { reply_class: 'contact_unsubscribed', reason: /has unsubscribed/ })
    t.equal(arrivals(email), 0, stream)
    t.equal(await used(), before, 'given back')
    const [other = ''] = await send({ to: email, stream: 'transactional' })
    await becomes(other, 'sent')
  }
})

t.test('who leaves the topic while mail waits gets none of it, and other mail arrives', async (t) => {
  await topics.insert(db, {
    ...{ id: newId(), org_id: orgId, key: 'news', name: 'News', description: null },
    ...{ default_state: 'subscribed', visibility: 'public' },
  })
  const address = 'leaves@rcpt.example'
  const before = await used()
  const [first, second] = [await deferred(address, 'subscribed'), await deferred(address, 'transactional')]
  const stays = await deferred('stays@rcpt.example', 'subscribed')
  await db.query(Nothing`
    update email.messages set topic = 'news' where id in (${first}, ${second}, ${stays})`)
  const about = { orgId, address, source: 'page' as const, messageId: first }
  await db.transaction((tx) => setTopics(tx, { ...about, choices: { news: 'unsubscribed' }, sandbox: false }))
  await hurry()
  for (const id of [first, second])
    t.match(await becomes(id, 'suppressed'), {
      reply_class: 'topic_unsubscribed',
      reason: 'The recipient is not subscribed to the topic.',
    })
  await becomes(stays, 'sent')
  t.equal(arrivals(address), 0)
  t.equal(await used(), before + 1, 'given back')
  const [other = ''] = await send({ to: address, stream: 'transactional' })
  await becomes(other, 'sent')
})

t.test('who is no contact any more, or is suppressed meanwhile, gets none of it', async (t) => {
  const [gone, bounced] = [
    await deferred('gone@rcpt.example', 'subscribed'),
    await deferred('off@rcpt.example', 'transactional'),
  ]
  const before = await used()
  await db.query(Nothing`delete from email.contacts where email = 'gone@rcpt.example'`)
  await db.query(Nothing`
    insert into email.suppressions (org_id, email, reason) values (${orgId}, 'off@rcpt.example', 'manual')`)
  await hurry()
  t.match(await becomes(gone, 'suppressed'), { reply_class: 'contact_not_confirmed' })
  await becomes(bounced, 'suppressed')
  t.equal(arrivals('gone@rcpt.example') + arrivals('off@rcpt.example'), 0)
  t.equal(await used(), before - 2)
})

t.test(
  'what asks to confirm waits while marketing is paused, and mail of a failed domain until it is back',
  async (t) => {
    await db.query(Nothing`insert into email.reputation (org_id, marketing) values (${orgId}, 'paused')`)
    const [asking = ''] = await send({ to: 'ask@rcpt.example', stream: 'repermission' })
    t.match(await becomes(asking, 'deferred'), { reply_class: 'marketing_paused' })
    await db.query(Nothing`delete from email.reputation`)
    await db.query(Nothing`update email.domains set status = 'failed', verified_by = null where id = ${stack.domainId}`)
    const [order = ''] = await send({ to: 'order@rcpt.example' })
    t.match(await becomes(order, 'deferred'), { reply_class: 'domain_not_verified' })
    await db.query(Nothing`
    update email.domains set status = 'verified', verified_by = 'operator' where id = ${stack.domainId}`)
    await hurry()
    await becomes(asking, 'sent')
    await becomes(order, 'sent')
  },
)

t.test('a cancelled campaign stops what workers have taken and not begun', async (t) => {
  await db.query(Nothing`delete from email.contacts`)
  await addContacts(db, orgId, 'confirmed', 60)
  const before = await used()
  const id = newId()
  await campaigns.insert(db, {
    id,
    org_id: orgId,
    key_id: null,
    sandbox: false,
    name: 'News',
    subject: 'News',
    html: '<p>News</p>',
    text: null,
    from_email: 'news@sender.example',
    from_name: null,
    preheader: null,
    segment_id: null,
  })
  isHolding = true
  await db.transaction((tx) => sendCampaign(tx, orgId, id))
  await until(() => held.length > 0, { what: 'the first is being sent' })
  await db.transaction((tx) => cancelCampaign(tx, orgId, id))
  const begun = await leased(id)
  isHolding = false
  await until(
    async () => {
      for (const release of held.splice(0)) release()
      return !(await campaigns.isInDelivery(db, id))
    },
    { what: 'nothing of it is left' },
  )
  const { sent = 0, failed = 0 } = await campaigns.countByStatus(db, id)
  t.ok(begun > sent, `${begun} were taken, ${sent} sent`)
  t.ok(sent <= 2, 'no more than were under way')
  t.equal(sent + failed, 60)
  t.equal(await used(), before + sent, 'what has not left is given back')
})

const leased = (campaignId: string) =>
  db.oneFirst(sql.type(z.object({ n: z.number() }))`
    select count(*)::integer as n from email.deliveries as d join email.messages as m on m.id = d.message_id
    where m.campaign_id = ${campaignId} and d.leased_by is not null`)
