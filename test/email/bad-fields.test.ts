import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { fieldsOf } from '../support/ingress.ts'
import { message, sending } from './sending.ts'

const { db, sender } = await sending(t)
const one = await sender()
const tags = (...of: unknown[]) => ({ tags: of })
const tag = (name: unknown, value: unknown) => tags({ name, value })
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })
const many = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@rcpt.example`)
const far = (ms: number) => new Date(Date.now() + ms).toISOString()
const month = 30 * 24 * 3_600_000

/** Bodies that are refused, each laid over a good one, and the fields that are named. */
const refused: Record<string, [object, ...string[]]> = {
  'a copy that is a text': [{ cc: 'b@rcpt.example' }, 'cc'],
  'a copy that is an object': [{ cc: { email: 'b@rcpt.example' } }, 'cc'],
  'copies to objects': [{ bcc: [{ email: 'b@rcpt.example' }] }, 'bcc.0'],
  'no copies': [{ cc: [] }, 'cc'],
  'copies that are null': [{ bcc: null }, 'bcc'],
  'a copy to null': [{ cc: [null] }, 'cc.0'],
  'a copy with a comma': [{ cc: ['b@rcpt.example, c@rcpt.example'] }, 'cc.0'],
  'a copy with a header': [{ cc: ['b@rcpt.example\r\nBcc: e@x.example'] }, 'cc.0'],
  'a blind copy with LF': [{ bcc: ['b@rcpt.example\nX: y'] }, 'bcc.0'],
  'a copy in brackets': [{ cc: ['<b@rcpt.example>'] }, 'cc.0'],
  'a copy with a name': [{ cc: ['Bob <b@rcpt.example>'] }, 'cc.0'],
  'a copy with an SMTP command': [{ bcc: ['b@rcpt.example> NOTIFY=NEVER'] }, 'bcc.0'],
  'a copy without a domain': [{ cc: ['b@'] }, 'cc.0'],
  'an empty copy': [{ cc: [''] }, 'cc.0'],
  'two bad copies': [{ cc: ['x', 'b@rcpt.example', 'y'] }, 'cc.0', 'cc.2'],
  'a copy to the recipient': [{ cc: ['ANN@rcpt.example'] }, 'cc.0'],
  'a copy twice': [{ cc: ['b@rcpt.example', 'B@RCPT.example'] }, 'cc.1'],
  'a copy, blind as well': [{ cc: ['b@rcpt.example'], bcc: ['b@rcpt.example'] }, 'bcc.0'],
  'fifty copies': [{ cc: many(50) }, 'cc'],
  'fifty-one recipients': [{ cc: many(25), bcc: many(60).slice(25, 50).concat('z@rcpt.example') }, 'bcc'],
  'copies of marketing': [{ stream: 'subscribed', cc: ['b@rcpt.example'] }, 'cc'],
  'blind copies of a question': [{ stream: 'repermission', bcc: ['b@rcpt.example'], text: '{{confirm_url}}' }, 'bcc'],
  'a time that is a number': [{ send_at: 1_800_000_000 }, 'send_at'],
  'a time in words': [{ send_at: 'in 1 hour' }, 'send_at'],
  'a time without an offset': [{ send_at: '2026-12-01T10:00:00' }, 'send_at'],
  'a day': [{ send_at: '2026-12-01' }, 'send_at'],
  'a day that is none': [{ send_at: '2027-02-30T10:00:00Z' }, 'send_at'],
  'a time of the year 0': [{ send_at: '0000-01-01T00:00:00Z' }, 'send_at'],
  'a time beyond 30 days': [{ send_at: far(month + 60_000) }, 'send_at'],
  'a time of the year 9999': [{ send_at: '9999-12-31T23:59:59Z' }, 'send_at'],
  'a time that is null': [{ send_at: null }, 'send_at'],
  'tags that are an object': [{ tags: { kind: 'order' } }, 'tags'],
  'tags that are texts': [tags('order'), 'tags.0'],
  'eleven tags': [tags(...Array.from({ length: 11 }, (_, i) => ({ name: `n${i}`, value: 'x' }))), 'tags'],
  'a tag twice': [tags({ name: 'a', value: '1' }, { name: 'a', value: '2' }), 'tags.1.name'],
  'a tag without a value': [tags({ name: 'a' }), 'tags.0.value'],
  'a tag without a name': [tags({ value: 'a' }), 'tags.0.name'],
  'a tag with more': [tags({ name: 'a', value: 'b', colour: 'c' }), 'tags.0.colour'],
  'an empty name of a tag': [tag('', 'x'), 'tags.0.name'],
  'an empty value of a tag': [tag('x', ''), 'tags.0.value'],
  'a tag with a colon': [tag('a:b', 'x'), 'tags.0.name'],
  'a tag with a blank': [tag('x', 'a b'), 'tags.0.value'],
  'a tag in another script': [tag('вид', 'x'), 'tags.0.name'],
  'a tag with CRLF': [tag('x', 'a\r\nb'), 'tags.0.value'],
  'a tag of 257 characters': [tag('x'.repeat(257), 'x'), 'tags.0.name'],
  'a value of 257 characters': [tag('x', 'x'.repeat(257)), 'tags.0.value'],
  'a value that is a number': [tag('x', 7), 'tags.0.value'],
  'metadata that are a text': [{ metadata: 'order 1042' }, 'metadata'],
  'metadata that are a list': [{ metadata: [1] }, 'metadata'],
  'metadata that are null': [{ metadata: null }, 'metadata'],
  'metadata beyond 4 KiB': [{ metadata: { a: 'x'.repeat(4_100) } }, 'metadata'],
  'metadata beyond 4 KiB in UTF-8': [{ metadata: { a: 'ä'.repeat(2_050) } }, 'metadata'],
  'metadata of many names': [
    { metadata: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`n${i}`, 1])) },
    'metadata',
  ],
  'several faults': [
    { cc: ['x'], send_at: 'x', ...tag('a b', 'c'), metadata: 1 },
    'cc.0',
    'metadata',
    'send_at',
    'tags.0.name',
  ],
}

t.test('each bad field is refused by its name, alone and in a batch, and nothing of it is kept', async (t) => {
  t.ok(Object.keys(refused).length >= 40)
  for (const [what, [bad, ...fields]] of Object.entries(refused)) {
    const answer = await one.send(bad as Record<string, unknown>)
    t.equal(answer.status, 400, what)
    const named = fields.map((field) => `body.${field}`)
    if (answer.status === 400) t.same(fieldsOf(answer), named, what)
  }
  const all = Object.values(refused)
  const asked = { messages: all.map(([bad]) => ({ ...message(one.domain), ...bad })) }
  const batch = await one.ask('POST /send/v1/messages/batch', { body: asked })
  t.match([batch.status, batch.body.accepted, batch.body.refused], [202, 0, all.length])
  for (const [i, [, ...fields]] of all.entries()) {
    const named = batch.body.data[i].error.details.map(({ field }: { field: string }) => field).sort()
    t.same(
      named,
      fields.map((field) => `body.messages.${i}.${field}`),
    )
  }
  const kept = sql.type(z.object({ count: z.number() }))`
    select (select count(*) from email.messages) + (select count(*) from email.contents)
      + (select count(*) from email.message_tags) as count`
  t.equal(await db.oneFirst(kept), 0)
})

t.test('what looks strange and is fine is taken as it is', async (t) => {
  const metadata = { '': '', 'a.b': [null, 1.5, true], ключ: '🎉', deep: deep(20) }
  for (const [what, more] of Object.entries<Record<string, unknown>>({
    'strange metadata': { metadata },
    'no metadata at all': { metadata: {} },
    'no tags at all': { tags: [] },
    'a tag of 256 characters': tag('x'.repeat(256), '-_9'),
    'a time with an offset': { send_at: far(3_600_000).replace('Z', '+00:00') },
    'the last moment': { send_at: far(month - 10_000) },
    'fifty recipients': { cc: many(24), bcc: many(49).slice(24) },
  })) {
    t.equal((await one.send(more)).status, 202, what)
  }
  const { data } = (await one.ask('GET /send/v1/messages?limit=100')).body
  t.same(data.at(-1).metadata, metadata)
})
