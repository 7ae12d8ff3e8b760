import { simpleParser } from 'mailparser'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { sendCampaign } from '#tasks/email/expand-campaign.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const port = await freePort()
const [stack, nsd] = await Promise.all([
  mailStack(t),
  startNsd(t, { 'rcpt.example': 'd IN MX 10 mx.d\nmx.d IN A 127.0.0.97' }),
])
const { db, orgId } = stack
const html =
  '<html><body class="a"><p>Hello {{contact.name|"there"}}, you have {{contact.attributes.orders|"no"}} orders.</p>' +
  '<h1>{{contact.name|"there"}}</h1><p>In {{contact.attributes.city|"your very own city"}} \ue0f2 as everywhere.</p>' +
  '<p><a href="{{unsubscribe_url}}">Leave</a></p></body></html>'

/** Adds contacts `p<number>@d.rcpt.example`, each with a name and a number of orders. */
const addPeople = (from: number, to: number) =>
  db.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status, name, attributes)
    select gen_random_uuid(), ${orgId}, 'p' || n || '@d.rcpt.example', 'confirmed', 'Person <' || n || '>',
      jsonb_build_object('orders', n)
    from generate_series(${from}::integer, ${to}::integer) as n`)

async function begin(): Promise<string> {
  const id = newId()
  await db.transaction(async (tx) => {
    const said = {
      name: 'a',
      subject: 'For {{contact.name|"you"}}',
      preheader: 'News for {{contact.name}}',
      html,
      text: null,
    }
    const from = { from_email: 'news@sender.example', from_name: null, segment_id: null }
    await campaigns.insert(tx, { id, org_id: orgId, key_id: null, sandbox: false, ...said, ...from })
    await sendCampaign(tx, orgId, id)
  })
  return id
}

t.test('each person gets a mail of their own, with the link by which they unsubscribe, in HTML and text', async (t) => {
  const sink = await startSink(t, '127.0.0.97', port, { hideSTARTTLS: true })
  await addPeople(1, 3)
  const environment = { DNS_RESOLVERS: nsd.dns, MAIL_MX_PORT: String(port), MAIL_MX_ALLOWED: '127.0.0.0/24' }
  const worker = await stack.startWorkers(environment, 'mail-campaign')
  await begin()
  const links = new Set<string>()
  for (const n of [1, 2, 3]) {
    const mail = await simpleParser((await sink.mailTo(`p${n}@d.rcpt.example`)).raw)
    t.equal(mail.subject, `For Person <${n}>`)
    t.match(mail.html, `<p>Hello Person &#60;${n}&#62;, you have ${n} orders.</p>`)
    t.match(mail.html, new RegExp(`<body class="a"><div data-preheader[^>]*>News for Person &#60;${n}&#62;</div><p>`))
    t.match(mail.text, `Hello Person <${n}>, you have ${n} orders.`)
    t.notMatch(mail.text, 'News for')
    t.notMatch(`${mail.html}${mail.text}`, '{{')
    const [, link = ''] = /<a href="([^"]*)">Leave/.exec(String(mail.html)) ?? []
    const header = String(
      (mail.headers.get('list') as { unsubscribe?: { url?: string } } | undefined)?.unsubscribe?.url,
    )
    t.match(link, /^https:\/\/platform\.example\/send\/v1\/unsubscribe\/[\w.-]+$/)
    t.equal(link, header, 'it is the page of the header')
    t.match(
      mail.text?.replaceAll(/\s+/g, ' '),
      `Person <${n}> In your very own city \ue0f2 as everywhere. Leave [${link}]`,
    )
    links.add(link)
  }
  t.equal(links.size, 3)
  await worker.stop()
})

t.test('a worker that is killed while it makes a campaign’s messages loses none and doubles none', async (t) => {
  const people = 12_000
  await addPeople(4, people)
  // No name server answers, so that what is made stays.
  const environment = { DNS_RESOLVERS: '127.0.0.1:1' }
  const first = await stack.startWorkers(environment, 'mail-campaign')
  const id = await begin()
  const reached = () =>
    db.one(sql.type(z.object({ all: z.number(), different: z.number(), merged: z.number(), right: z.number() }))`
      select count(*)::integer as all, count(distinct m.to_email)::integer as different, count(g.message_id)::integer as merged,
        count(*) filter (where m.subject = 'For ' || (g.fields ->> 'contact.name'))::integer as right
      from email.messages as m left join email.merges as g on g.message_id = m.id where m.campaign_id = ${id}`)
  await until(async () => (await reached()).all >= 1_000, { every: 5 })
  await first.kill()
  const before = await reached()
  t.ok(before.all < people, `killed after ${before.all}`)
  await stack.startWorkers(environment, 'mail-campaign')
  await until(async () => (await campaigns.find(db, orgId, id))?.status === 'sent', { timeout: 60_000 })
  t.same(await reached(), { all: people, different: people, merged: people, right: people })
})
