import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import * as domains from '#sql/email/domains.ts'
import * as received from '#sql/email/received.ts'
import { importRows } from '#tasks/email/import-rows.ts'
import { recordReport } from '#tasks/email/rules/aggregate/record-report.ts'
import type { DmarcReport } from '#tasks/email/rules/aggregate/report.ts'
import { emitCampaignEvent } from '#tasks/email/rules/campaigns/events.ts'
import { confirm } from '#tasks/email/rules/consent/confirm.ts'
import { resumeMarketing } from '#tasks/email/rules/consent/resume-marketing.ts'
import { recordChecks } from '#tasks/email/rules/domains/record-checks.ts'
import { listRecords } from '#tasks/email/rules/domains/records.ts'
import { notifyReceived } from '#tasks/email/rules/received/event.ts'
import { warnOfReceivedStorage } from '#tasks/email/rules/received/storage.ts'
import { classes } from '#tasks/email/rules/replies/classes.ts'
import { recordEngagements } from '#tasks/email/rules/tracking/record-engagements.ts'
import { allTypes, eventKinds } from '#tasks/webhooks/rules/event-types.ts'
import { emittedTo } from '../support/emitted.ts'
import { addContacts, outcomes, sending } from './sending.ts'

t.setTimeout(240_000)
const { db, sender } = await sending(t)
const own = await sender()

const more = { tags: [{ name: 'kind', value: 'order' }], metadata: { order: 1 } }

/** Has every event about messages happen, by their API and by what delivery records. */
async function messagesEnd(): Promise<void> {
  const send = async () => (await own.send({ to: `a${newId()}@rcpt.example`, ...more })).body.id as string
  const reply = { replyClass: 'greylisted', reason: '451 4.7.1 Greylisted' }
  for (const status of ['delivered', 'deferred', 'bounced', 'failed', 'suppressed', 'complained'] as const)
    await outcomes(db, [{ messageId: await send(), status, ...reply }])
  await own.ask(`POST /send/v1/messages/${await send()}/cancel`)
}

async function contactsDecide(): Promise<void> {
  await addContacts(db, own.orgId, 'unconfirmed', 1)
  const { id: contact_id } = (await own.ask('GET /send/v1/contacts/c1@rcpt.example')).body
  const messageId = (await own.send()).body.id
  await db.transaction((tx) => confirm(tx, { org_id: own.orgId, contact_id, id: messageId, sandbox: false }))
  await own.ask('POST /send/v1/contacts/c1@rcpt.example/unsubscribe')
}

async function campaignsEnd(): Promise<void> {
  const body = { name: 'News', subject: 'News', html: '<p>News</p>', from_email: `news@${own.domain}` }
  const { id } = (await own.ask('POST /send/v1/campaigns', { body })).body
  const campaign = await campaigns.find(db, own.orgId, id)
  for (const happened of ['sent', 'finished', 'paused', 'cancelled'] as const) {
    if (campaign) await db.transaction((tx) => emitCampaignEvent(tx, happened, campaign))
  }
}

async function domainFalls(): Promise<void> {
  const id = (await own.ask('POST /send/v1/domains', { body: { domain: 'falls.example' } })).body.id
  const domain = (await domains.findById(db, id)) as domains.EmailDomain
  const kinds = listRecords(domain, await domains.listKeys(db, [id])).map(({ kind }) => kind)
  const pass = (state: 'found' | 'missing') => {
    const checks = Object.fromEntries(kinds.map((kind) => [kind, { state, found: null }]))
    return db.transaction((tx) => recordChecks(tx, id, checks, { hourly: true }))
  }
  await pass('found')
  for (let n = 0; n < 3; n++) await pass('missing')
}

async function marketingPauses(): Promise<void> {
  const bounce = async (taken: number) => {
    await db.query(sql.typeAlias('void')`
      insert into email.daily (org_id, day, stream, accepted, sent, taken, hard_bounced)
      values (${own.orgId}, (now() at time zone 'utc')::date - 1, 'subscribed', 400, 400, ${taken}, 40)
      on conflict (org_id, day, stream) do update set taken = excluded.taken`)
    await outcomes(db, [{ messageId: (await own.send()).body.id, status: 'bounced', hard: true }])
  }
  await bounce(400)
  await bounce(160)
  await resumeMarketing(db, own.orgId, 'operator')
}

async function mailComes(): Promise<void> {
  const { id: route_id } = (await own.ask('POST /send/v1/inbound-routes', { body: { address: `a@${own.domain}` } }))
    .body
  const id = newId()
  const mail = { id, org_id: own.orgId, route_id, recipient: `a@${own.domain}` }
  const origin = {
    sender: 'ada@people.example',
    remote_address: '192.0.2.1',
    remote_network: '192.0.2.0/24',
    helo: 'mx',
  }
  const file = {
    filename: 'a.pdf',
    content_type: 'application/pdf',
    bytes: 1,
    content_id: null,
    inline: false,
    refused: null,
  }
  const { sample } = eventKinds['email.received']
  await db.transaction(async (tx) => {
    await received.insertArriving(tx, { ...mail, ...origin, bytes: 1 })
    await received.markTaken(tx, mail, 'a'.repeat(64))
    await received.setRead(tx, id, {
      from_email: 'ada@people.example',
      to_emails: [mail.recipient],
      headers: [{ name: 'Subject', value: 'Hi' }],
      authentication: sample.authentication as received.Authentication,
      attachments: [{ object_id: newId(), ...file }],
    })
    await notifyReceived(tx, id)
  })
}

async function storageFills(): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.storage set received_bytes = ${2 ** 50} where org_id = ${own.orgId}`)
  await db.transaction((tx) => warnOfReceivedStorage(tx, own.orgId))
}

async function readersOpen(): Promise<void> {
  const { id: message_id } = (await own.send(more)).body
  const about = { message_id, machine: false, reason: null, count: 1, user_agent: null }
  const at = new Date(Date.now() + 60_000).toISOString()
  const [open, click] = [
    { ...about, kind: 'open' as const, url: '', first_at: at, last_at: at },
    { ...about, kind: 'click' as const, url: 'https://shop.example/', first_at: at, last_at: at },
  ]
  await db.transaction((tx) => recordEngagements(tx, [open, click]))
}

async function topicsChange(): Promise<void> {
  await own.ask('POST /send/v1/topics', { body: { key: 'offers', name: 'Offers' } })
  await own.ask('PATCH /send/v1/contacts/c1@rcpt.example/topics', { body: { topics: { offers: 'unsubscribed' } } })
}

async function listIsImported(): Promise<void> {
  const headers = { 'content-type': 'text/csv' }
  const list = { raw: 'email,reason\ngone@rcpt.example,manual\n', headers }
  const { id } = (await own.ask('POST /send/v1/suppressions/import', list)).body
  await importRows.run({ importId: id }, { db, signal: new AbortController().signal } as never)
  const other = (await own.ask('POST /send/v1/suppressions/import', list)).body
  await importRows.giveUp?.({ importId: other.id }, new Error('away'), { db, runId: undefined })
}

async function reportsFail(): Promise<void> {
  const { id } = (await own.ask('GET /send/v1/domains')).body.data[0]
  const domain = (await domains.findById(db, id)) as domains.EmailDomain
  const row = { source_ip: '192.0.2.10', disposition: 'none' as const, header_from: null, envelope_from: null }
  const results = { override: null, spf_domain: null, spf_result: null, dkim_domain: null, dkim_selector: null }
  const report = (report_id: string, isAligned: boolean): DmarcReport => ({
    ...{ kind: 'dmarc', reporter: 'reader.example', reporter_email: null, report_id, percent: null },
    ...{ begins_at: new Date(Date.now() - 86_400_000).toISOString(), ends_at: new Date().toISOString() },
    ...{ policy_domain: domain.domain, policy: 'none', subdomain_policy: null },
    rows: [{ ...row, ...results, dkim_result: null, count: 20, dkim_aligned: isAligned, spf_aligned: isAligned }],
  })
  for (const [name, isAligned] of Object.entries({ good: true, bad: false }))
    await db.transaction((tx) => recordReport(tx, domain, 'dmarc@reader.example', report(name, isAligned)))
}

/** The names of all fields within each other; what a sender may put in `metadata` is theirs. */
function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(keysOf)
  if (value === null || typeof value !== 'object') return null
  const entries = Object.entries(value).map(([name, inner]) => [name, name === 'metadata' ? null : keysOf(inner)])
  return Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

t.test('the sample of every event of email has the fields of the real one', async (t) => {
  const all = [
    messagesEnd,
    contactsDecide,
    campaignsEnd,
    domainFalls,
    marketingPauses,
    mailComes,
    storageFills,
    readersOpen,
    topicsChange,
    listIsImported,
    reportsFail,
  ]
  for (const happens of all) await happens()
  const real = Map.groupBy(emittedTo(own.orgId), ({ type }) => type)
  for (const type of allTypes.filter((each) => each.startsWith('email.'))) {
    const data = real.get(type)?.[0]?.data
    t.ok(data, `${type} has happened`)
    t.same(keysOf(eventKinds[type].sample), keysOf(JSON.parse(JSON.stringify(data ?? null))), type)
  }
})

const notDelivery = ['email.received', 'email.opened', 'email.clicked']

t.test('samples of messages say what delivery says', async (t) => {
  for (const type of allTypes.filter((each) => /^email\.[a-z]+$/.test(each) && !notDelivery.includes(each))) {
    const sample = eventKinds[type].sample as unknown as Record<string, unknown>
    t.equal(sample.status, type.slice('email.'.length))
    t.equal(sample.message_id, `${sample.id}@example.com`, 'a Message-ID stands without its brackets')
    if (sample.reply_class !== null) t.ok(Object.keys(classes).includes(String(sample.reply_class)), type)
  }
})
