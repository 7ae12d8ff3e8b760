import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { addContacts, campaignWorker, outcomes, sending } from './sending.ts'

const { db, databaseUrl, sender } = await sending(t)
await campaignWorker(t, databaseUrl)
const shop = await sender()
await addContacts(db, shop.orgId, 'confirmed', 1)
await db.query(sql.typeAlias('void')`update email.contacts set name = 'Ann <A>' where org_id = ${shop.orgId}`)

/** Sends a campaign and returns its delivered message. */
async function delivered(content: object): Promise<string> {
  const base = { name: 'a', from_email: `news@${shop.domain}`, ...content }
  const made = await shop.ask('POST /send/v1/campaigns', { body: base })
  t.equal(made.status, 201, made.text)
  t.equal((await shop.ask(`POST /send/v1/campaigns/${made.body.id}/send`)).status, 202)
  const Found = z.object({ id: z.string() })
  const id = await until(
    async () =>
      (await db.maybeOneFirst(sql.type(Found)`select id from email.messages where campaign_id = ${made.body.id}`)) ??
      false,
  )
  await db.query(sql.typeAlias('void')`delete from email.deliveries where message_id = ${id}`)
  await outcomes(db, [{ messageId: id, status: 'delivered', replyClass: 'accepted' }])
  return id
}

const Stored = z.object({ subject: z.string(), html: z.string(), text: z.string().nullable() })
const stored = (id: string) =>
  db.one(sql.type(Stored)`
    select m.subject, c.html, c.text from email.messages as m join email.contents as c on c.id = m.content_id
    where m.id = ${id}`)

t.test('a message of a Liquid campaign is sent again as its recipient received it', async (t) => {
  const foot = { name: 'Foot', kind: 'partial', alias: 'foot', syntax: 'liquid' }
  const added = await shop.ask('POST /send/v1/templates', {
    body: { ...foot, html: '<p><a href="{{ url }}">Leave</a></p>' },
  })
  t.equal(added.status, 201, added.text)
  const id = await delivered({
    syntax: 'liquid',
    subject: 'For {{ contact.name }}',
    html: '{% if contact.name %}<p>Dear {{ contact.name }}</p>{% endif %}{% render "foot", url: unsubscribe_url %}',
    text: '{% if contact.name %}Dear {{ contact.name }}{% endif %} {{ unsubscribe_url }}',
  })
  const again = await shop.ask(`POST /send/v1/messages/${id}/resend`)
  t.equal(again.status, 202, again.text)
  const { subject, html, text } = await stored(again.body.id)
  t.equal(subject, 'For Ann <A>')
  t.match(html, /^<p>Dear Ann &#60;A&#62;<\/p><p><a href="http[^"]+\/send\/v1\/unsubscribe\/[^"]+">Leave<\/a><\/p>$/)
  t.match(text, /^Dear Ann <A> http\S+$/)
  const [link] = /http[^"]+/.exec(html) ?? []
  t.equal(text?.split(' ').at(-1), link)
  const { pathname } = new URL(link as string)
  await shop.ask(`POST ${pathname}`, { key: '' })
  const events = (await shop.ask('GET /send/v1/contacts/c1@rcpt.example')).body.history
  t.match(events.at(-1), { kind: 'unsubscribed', message_id: again.body.id })
})
