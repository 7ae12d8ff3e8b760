import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { receivedStack } from '../email/received-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)

const spf = '@ IN TXT "v=spf1 ip4:127.0.0.1 -all"'
const dmarc = '_dmarc IN TXT "v=DMARC1; p=reject"'
const stack = await receivedStack(
  t,
  {
    'people.example': `${spf}\n${dmarc}`,
    'forged.example': `@ IN TXT "v=spf1 ip4:192.0.2.1 -all"\n${dmarc}`,
    'shop.example': `${spf}\n${dmarc}`,
  },
  'unlimited',
  true,
)
const { db, ask, bring, take } = stack
await stack.startWorkers({}, 'core,scan,mail-transactional,llm')

// biome-ignore lint/suspicious/noExplicitAny: tests look into every field.
async function done(request: string, body: object = {}): Promise<any> {
  const reply = await ask(request, request.startsWith('GET') ? {} : { body })
  if (reply.status !== 200) throw new Error(`${request}: ${reply.text}`)
  return reply.body
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`

let sent = 0

/** An email to a route with these header fields and text. */
function mail(to: string, facts: { from?: string; subject?: string; text?: string; more?: string[] } = {}) {
  const {
    from = 'Ada <ada@people.example>',
    subject = 'Returns',
    text = 'When can bicycles be returned?',
    more = [],
  } = facts
  const id = `<m${++sent}@people.example>`
  return lines(`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, `Message-ID: ${id}`, ...more, '', text)
}

let routes = 0

/** A bot that knows one document, behind an address. */
async function bot(facts: object = {}, channelFacts: object = {}) {
  const address = `help${++routes}@shop.example`
  const { id } = await done('POST /v1/bots', {
    ...{ name: 'Help', system_prompt: 'Help.', fallback: 'No idea.', handover: true },
    ...facts,
  })
  await done(`POST /v1/bots/${id}/documents`, {
    title: 'Returns',
    text: 'Bicycles can be returned within thirty days.',
  })
  const route = await take(address)
  const channel = await done(`POST /v1/bots/${id}/channels`, { kind: 'email', route_id: route, ...channelFacts })
  return {
    ...{ id, address, route, channel: channel.id },
    messages: async () => (await done(`GET /v1/bots/${id}/messages?order=asc`)).data,
    passed: async () => (await done(`GET /v1/bots/${id}/channels/${channel.id}/messages`)).data,
  }
}

const waitFor = <T>(check: () => Promise<T>, what: string) => until(check, { timeout: 60_000, what })

const Mail = z.looseObject({
  id: z.string(),
  to_email: z.string(),
  from_email: z.string(),
  subject: z.string(),
  status: z.string(),
  text: z.string(),
  html: z.string(),
  headers: z.record(z.string(), z.string()),
  reply_to: z.string().nullable(),
})

const sentMail = (id: string) =>
  db.one(sql.type(Mail)`
    select m.id, m.to_email, m.from_email, m.from_name, m.subject, m.status, c.text, c.html, c.headers, c.reply_to
    from email.messages as m join email.contents as c on c.id = m.content_id where m.id = ${id}`)

t.test('an email to the route is answered in its thread', async (t) => {
  const help = await bot()
  await bring(help.address, mail(help.address, { more: ['References: <a@people.example> <b@people.example>'] }))
  const [question, answer] = await waitFor(async () => {
    const all = await help.messages()
    return all[1]?.delivery && all
  }, 'the email is answered')
  t.match(question, { content: 'Returns\n\nWhen can bicycles be returned?', seq: 1, metadata: { channel: 'email' } })
  t.match(answer, { content: /thirty days/, delivery: { channel: 'email' } })
  const reply = await sentMail(answer.delivery.sent_message_id)
  t.match(reply, {
    to_email: 'ada@people.example',
    from_email: help.address,
    from_name: 'Help',
    subject: 'Re: Returns',
    text: /thirty days/,
    html: /^<p>.*thirty days/,
    reply_to: null,
    headers: {
      'Auto-Submitted': 'auto-replied',
      'In-Reply-To': `<m${sent}@people.example>`,
      References: `<a@people.example> <b@people.example> <m${sent}@people.example>`,
    },
  })
})
