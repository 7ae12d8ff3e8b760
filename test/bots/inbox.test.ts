import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import * as members from '#sql/account/people/members.ts'
import { type Db, sql } from '#sql/db.ts'
import { mailAssignment } from '#tasks/bots/mail-assignment.ts'
import { signedIn } from '../app/fixture.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf } from '../support/ingress.ts'
import { botsStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await botsStack(t)
const { ask, askElse, db } = stack
const { url } = stack.ingress

async function done(request: string, body: object = {}) {
  const reply = await ask(request, request.startsWith('GET') || request.startsWith('DELETE') ? {} : { body })
  if (reply.status >= 300) throw new Error(`${request}: ${reply.text}`)
  return reply.body
}

const bot = await stack.bot({ name: 'Help', handover: true })
const org: string = await db.oneFirst(
  sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`,
)
const member = async (role: members.Role = 'developer') => (await signedIn(db, url, org, role)).userId

/** Starts a conversation that waits for a person. Returns its ID and the path of its operations. */
async function handedOver(facts: Record<string, unknown> = {}) {
  const said = await stack.say(bot, 'Let me talk to a person', facts)
  t.equal(said.body.handed_over, true, said.text)
  const id: string = said.body.conversation_id
  return { id, at: `/v1/bots/${bot}/conversations/${id}` }
}

const inbox = async (query: string) =>
  (await done(`GET /v1/bots/conversations?limit=100&${query}`)).data.map(
    (one: { conversation_id: string }) => one.conversation_id,
  )

const eventsOf = (kind: string, id: string) =>
  emittedTo(org)
    .filter(
      ({ type, data }) =>
        type === `bots.conversation.${kind}` && (data as { conversation_id: string }).conversation_id === id,
    )
    .map(({ data }) => data)

t.test('a conversation is assigned, filtered by its assignee, and has a history', async (t) => {
  const [mari, jaan] = [await member(), await member('owner')]
  const [{ id, at }, other] = [await handedOver(), await handedOver()]
  t.match(await done(`PUT ${at}/assignee`, { member_id: mari }), { assignee_id: mari, after_hours: false })
  t.match(await done(`PUT ${at}/assignee`, { member_id: mari }), { assignee_id: mari })
  t.same(await inbox(`assignee_id=${mari}`), [id])
  t.ok((await inbox('assignee_id=none')).includes(other.id))
  t.notOk((await inbox('assignee_id=none')).includes(id))
  t.match(await done(`PUT ${at}/assignee`, { member_id: jaan, expected_assignee_id: mari }), { assignee_id: jaan })
  const late = await ask(`PUT ${at}/assignee`, { body: { member_id: mari, expected_assignee_id: mari } })
  t.match(late, { status: 409, body: { error: { code: 'assigned_meanwhile', details: { assignee_id: jaan } } } })
  t.match(await done(`PUT ${at}/assignee`, { member_id: null }), { assignee_id: null, assigned_at: null })
  const history = await done(`GET ${at}/assignments`)
  t.same(
    history.data.map((one: { assignee_id: string; by_kind: string; reason: string }) => [
      one.assignee_id,
      one.by_kind,
      one.reason,
    ]),
    [
      [null, 'key', 'assigned'],
      [jaan, 'key', 'assigned'],
      [mari, 'key', 'assigned'],
    ],
  )
  t.same((await done(`GET ${at}/assignments?limit=1`)).data, history.data.slice(0, 1))
  t.match(eventsOf('assigned', id), [
    { assignee_id: mari, previous_assignee_id: null },
    { assignee_id: jaan, previous_assignee_id: mari },
    { assignee_id: null, previous_assignee_id: jaan },
  ])
  const queued = await db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select j.payload -> 'payload' ->> 'assignmentId' as id from jobs_mail_transactional._private_jobs as j
    join jobs_mail_transactional._private_tasks as t on t.id = j.task_id
    where t.identifier = ${mailAssignment.name} order by j.id`)
  t.equal(queued.length, 2, 'for Mari and for Jaan, not for nobody')
  const own = <R>(work: (tx: Db) => Promise<R>) => db.transaction(work)
  const tools = { db, log, secret: 'a signing secret of the tests alone', own } as never
  const sent = () =>
    db.any(sql.type(z.object({ to: z.string(), text: z.string() }))`
      select m.to_email as to, c.text from email.messages as m join email.contents as c on c.id = m.content_id`)
  for (const assignmentId of queued) await mailAssignment.run({ assignmentId }, tools)
  t.same(await sent(), [], 'nobody has the conversation any more')
  await done(`PUT ${at}/assignee`, { member_id: jaan })
  const [latest] = (await done(`GET ${at}/assignments`)).data
  await mailAssignment.run({ assignmentId: latest.id }, tools)
  const [letter, ...more] = await sent()
  t.same(more, [])
  t.match(letter, { to: /^owner-\d+@members\.example$/, text: new RegExp(`/app/bots/inbox/${id}`) })
  t.notMatch(letter?.text, /talk to a person/, 'it quotes nothing')
})

t.test('of two members who take a conversation at the same time, one gets it', async (t) => {
  const [mari, jaan] = [await member(), await member()]
  const { id, at } = await handedOver()
  const take = (member_id: string) => ask(`PUT ${at}/assignee`, { body: { member_id, expected_assignee_id: null } })
  const taken = await Promise.all([take(mari), take(jaan)])
  t.same(taken.map(({ status }) => status).sort(), [200, 409])
  const winner = taken.find(({ status }) => status === 200)?.body.assignee_id
  t.same(await inbox(`assignee_id=${winner}`), [id])
  t.equal((await done(`GET ${at}/assignments`)).data.length, 1)
})

t.test('a member who leaves or becomes a viewer loses their conversations in the same transaction', async (t) => {
  const [mari, jaan, viewer] = [await member(), await member(), await member('viewer')]
  const [first, second] = [await handedOver(), await handedOver()]
  await done(`PUT ${first.at}/assignee`, { member_id: mari })
  await done(`PUT ${second.at}/assignee`, { member_id: jaan })
  await db.transaction(async (tx) => {
    await members.remove(tx, org, mari)
    const left = sql.type(z.object({ count: z.number() }))`
      select count(*)::int4 as count from bots.handovers where assignee_id = ${mari}`
    t.equal(await tx.oneFirst(left), 0)
  })
  await db.transaction((tx) => members.setRole(tx, org, jaan, 'viewer'))
  for (const [{ at }, reason] of [
    [first, 'removed'],
    [second, 'role_changed'],
  ] as const)
    t.match((await done(`GET ${at}/assignments`)).data[0], { assignee_id: null, by_kind: 'system', reason })
  for (const member_id of [mari, jaan, viewer, newId()]) {
    const reply = await ask(`PUT ${first.at}/assignee`, { body: { member_id } })
    t.same([reply.status, fieldsOf(reply)], [400, ['body.member_id']])
  }
})

t.test('an assignment at the time of a removal never survives the removal', async (t) => {
  for (let round = 0; round < 8; round++) {
    const mari = await member()
    const { id, at } = await handedOver()
    const [reply] = await Promise.all([
      ask(`PUT ${at}/assignee`, { body: { member_id: mari } }),
      db.transaction((tx) => members.remove(tx, org, mari)),
    ])
    t.ok([200, 400].includes(reply.status), reply.text)
    t.ok((await inbox('assignee_id=none')).includes(id))
  }
})

t.test('only conversations with a person are assigned, and only by their organisation', async (t) => {
  const mari = await member()
  const { at } = await handedOver()
  t.equal((await askElse(`PUT ${at}/assignee`, { body: { member_id: mari } })).status, 404)
  t.equal((await askElse(`GET ${at}/assignments`)).status, 404)
  await done(`POST ${at}/return`)
  t.equal((await ask(`PUT ${at}/assignee`, { body: { member_id: mari } })).status, 409)
  await done(`POST ${at}/close`)
  t.match((await ask(`PUT ${at}/assignee`, { body: { member_id: mari } })).text, /closed/)
})

t.test('of two replies at the same time, the second author hears of the first', async (t) => {
  const { at } = await handedOver()
  const reply = (author: string, after_seq: number) =>
    ask(`POST ${at}/reply`, { body: { message: `I am ${author}.`, author, after_seq } })
  const sent = await Promise.all([reply('Mari', 1), reply('Jaan', 1)])
  t.same(sent.map(({ status }) => status).sort(), [200, 409])
  const refused = sent.find(({ status }) => status === 409)
  t.match(refused?.body.error, { code: 'replied_meanwhile', details: { seq: 2 } })
  t.equal((await reply('Jaan', 2)).status, 200)
})

t.test('labels are put on conversations, filter the inbox, and leave it when they are deleted', async (t) => {
  const label = async (name: string, color?: string) => {
    const made = await done('POST /v1/bots/conversations/labels', { name, ...(color && { color }) })
    return made as { id: string; color: string }
  }
  const [refund, urgent] = [await label('Refund', 'orange'), await label('Urgent')]
  t.equal(urgent.color, 'grey')
  t.equal((await ask('POST /v1/bots/conversations/labels', { body: { name: 'reFUND' } })).status, 409)
  const { id, at } = await handedOver()
  const set = (...label_ids: string[]) => ask(`PUT ${at}/labels`, { body: { label_ids } })
  t.match((await set(refund.id, urgent.id)).body.labels, [{ name: 'Refund' }, { name: 'Urgent' }])
  t.same(await inbox(`label_id=${refund.id}`), [id])
  t.match((await done(`GET /v1/bots/conversations?label_id=${urgent.id}`)).data[0].labels, [
    { name: 'Refund', color: 'orange' },
    { name: 'Urgent' },
  ])
  const odd = await set(refund.id, newId(), newId())
  t.same([odd.status, fieldsOf(odd)], [400, ['body.label_ids.1', 'body.label_ids.2']])
  t.same(fieldsOf(await set(refund.id, refund.id)), ['body.label_ids'])
  t.same((await done(`GET ${at}/labels`)).labels.length, 2)
  await set(refund.id)
  t.match(eventsOf('labelled', id), [
    { labels: ['Refund', 'Urgent'], added: ['Refund', 'Urgent'], removed: [] },
    { labels: ['Refund'], added: [], removed: ['Urgent'] },
  ])
  const renamed = await done(`PATCH /v1/bots/conversations/labels/${refund.id}`, { name: 'Money back' })
  t.match(renamed, { name: 'Money back', color: 'orange' })
  t.equal((await ask(`PATCH /v1/bots/conversations/labels/${refund.id}`, { body: { name: 'urgent' } })).status, 409)
  await done(`POST ${at}/return`)
  t.same(await inbox(`label_id=${refund.id}`), [], 'the bot has it again')
  await done(`POST ${at}/handover`)
  t.same(await inbox(`label_id=${refund.id}`), [id])
  t.equal((await askElse(`PUT ${at}/labels`, { body: { label_ids: [] } })).status, 404)
  t.equal((await askElse(`DELETE /v1/bots/conversations/labels/${refund.id}`)).status, 404)
  await done(`DELETE /v1/bots/conversations/labels/${refund.id}`)
  t.same((await done(`GET ${at}/labels`)).labels, [])
  t.same(await inbox(`label_id=${refund.id}`), [])
})

t.test('a label that is deleted while it is set is on no conversation', async (t) => {
  for (let round = 0; round < 6; round++) {
    const { id: label } = await done('POST /v1/bots/conversations/labels', { name: `Round ${round}` })
    const { at } = await handedOver()
    const [set, removed] = await Promise.all([
      ask(`PUT ${at}/labels`, { body: { label_ids: [label] } }),
      ask(`DELETE /v1/bots/conversations/labels/${label}`),
    ])
    t.ok([200, 400].includes(set.status), set.text)
    t.equal(removed.status, 200)
    t.same((await done(`GET ${at}/labels`)).labels, [])
  }
})

t.test('an organisation has up to 100 labels', async (t) => {
  const { data } = await done('GET /v1/bots/conversations/labels?limit=100')
  const made = await Promise.all(
    Array.from({ length: 105 - data.length }, (_, n) =>
      ask('POST /v1/bots/conversations/labels', { body: { name: `Number ${n}` } }),
    ),
  )
  t.equal(made.filter(({ status }) => status === 201).length, 100 - data.length)
  t.match(made.find(({ status }) => status === 409)?.body.error, { code: 'too_many_labels' })
})
