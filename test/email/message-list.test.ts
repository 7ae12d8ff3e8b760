import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { sending } from './sending.ts'

const { sender } = await sending(t)
const own = await sender()
const tag = (name: string, value: string) => ({ name, value })
const ahead = new Date(Date.now() + 60_000).toISOString()

const [first, second, third, fourth] = [
  (await own.send({ tags: [tag('kind', 'welcome'), tag('team', 'a')] })).body,
  (await own.send({ tags: [tag('kind', 'order')], to: 'bob@rcpt.example', cc: ['cat@rcpt.example'] })).body,
  (await own.send({ from: { email: `news@${own.domain}` }, send_at: ahead })).body,
  (await own.send({ tags: [tag('kind', 'order')], stream: 'security' })).body,
]

const ids = async (query: string, of = own) => {
  const { status, body } = await of.ask(`GET /send/v1/messages?${query}`)
  return status === 200 ? body.data.map(({ id }: { id: string }) => id) : status
}

t.test('messages are found by tag, sender, time and schedule, newest first', async (t) => {
  const copy = second.copies[0].id
  t.same(await ids(''), [fourth.id, third.id, copy, second.id, first.id])
  t.same(await ids('tag=kind'), [fourth.id, copy, second.id, first.id])
  t.same(await ids('tag=kind:order'), [fourth.id, copy, second.id])
  t.same(await ids('tag=kind:order&stream=security'), [fourth.id])
  t.same(await ids('tag=team:b'), [])
  t.same(await ids(`from=News@${own.domain}`), [third.id])
  t.same(await ids('scheduled=true'), [third.id])
  t.same(await ids('status=scheduled'), [third.id])
  t.same(await ids('to=cat@rcpt.example'), [copy])
  const { created_at } = (await own.ask(`GET /send/v1/messages/${third.id}`)).body
  const after = new Date(Date.parse(created_at) + 3_600_000).toISOString()
  t.same(await ids(`since=${after}`), [])
  t.equal((await ids(`until=${after}`)).length, 5)
  t.same(await ids(`until=${new Date(Date.parse(created_at) - 3_600_000).toISOString()}`), [])
})

t.test('a filtered list goes on by its cursor, and shows nothing of others', async (t) => {
  const one = (await own.ask('GET /send/v1/messages?tag=kind&limit=3')).body
  const two = (await own.ask(`GET /send/v1/messages?tag=kind&limit=3&cursor=${one.next_cursor}`)).body
  t.match(two.data, [{ id: first.id, tags: [tag('kind', 'welcome'), tag('team', 'a')], metadata: null }])
  t.equal(two.next_cursor, null)
  const other = await sender()
  for (const query of ['', 'tag=kind', `from=news@${own.domain}`, 'scheduled=true']) t.same(await ids(query, other), [])
})

t.test('filters that are none are refused by their names', async (t) => {
  for (const query of [
    'tag=',
    'tag=a:',
    'tag=a:b:c',
    'tag=a%20b',
    'from=x',
    'since=x',
    'until=2026',
    'scheduled=false',
  ]) {
    const answer = await own.ask(`GET /send/v1/messages?${query}`)
    t.equal(answer.status, 400, query)
    if (answer.status === 400) t.same(fieldsOf(answer), [`query.${query.split('=')[0]}`], query)
  }
})
