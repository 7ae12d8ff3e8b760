import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import { announceScheduled } from '#tasks/live/announce-scheduled.ts'
import { endBroadcast, markBroadcastLive } from '#tasks/live/rules/broadcasts.ts'
import { emittedTo } from '../support/emitted.ts'
import { fieldsOf } from '../support/ingress.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { db, ask, orgId } = stack
const base = '/v1/stream/live/channels'
const channelOf = async (body: object = {}): Promise<string> =>
  (await ask(`POST ${base}`, { body: { name: `Stage ${newId()}`, ...body } })).body.channelId
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const announce = (scheduledId: string, revision: number, minutes: number | null) =>
  announceScheduled.run({ scheduledId, revision, minutes }, { db } as never)
const eventsOf = (scheduledId: string) =>
  emittedTo(orgId).flatMap(({ type, data }) =>
    (data as { scheduledId?: string }).scheduledId === scheduledId ? [type] : [],
  )

t.test('a broadcast is scheduled, shown to viewers, moved and cancelled', async (t) => {
  const channelId = await channelOf({ visibility: 'unlisted' })
  const path = `${base}/${channelId}/schedule`
  const wish = {
    title: 'Q&A; part 1, with Ada',
    description: 'Line 1\nLine 2',
    posterUrl: 'https://example.com/a.jpg',
    startsAt: inMinutes(120),
    reminderMinutes: [15, 60, 15],
    lateMinutes: 5,
  }
  const made = await ask(`POST ${path}`, { body: wish })
  t.equal(made.status, 201, made.text)
  t.match(made.body, { ...wish, reminderMinutes: [60, 15], state: 'scheduled', broadcastId: null, channelId })
  const { scheduledId } = made.body
  t.same((await ask(`GET ${path}?state=scheduled`)).body.data, [made.body])
  t.same((await ask(`GET ${path}?state=missed`)).body.data, [])
  t.same((await ask(`GET ${path}/${scheduledId}`)).body, made.body)

  const open = await ask(`GET /v1/stream/live/upcoming/${channelId}`, { key: '' })
  t.match(open.body.data, [{ scheduledId, title: wish.title, startsAt: wish.startsAt, posterUrl: wish.posterUrl }])
  const file = await fetch(open.body.data[0].calendarUrl)
  t.match(file.headers.get('content-type'), /^text\/calendar/)
  const lines = (await file.text()).split('\r\n')
  t.ok(lines.includes('SUMMARY:Q&A\\; part 1\\, with Ada') && lines.includes('DESCRIPTION:Line 1\\nLine 2'))
  t.ok(lines.includes(`DTSTART:${wish.startsAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z`))

  const moved = await ask(`PATCH ${path}/${scheduledId}`, { body: { startsAt: inMinutes(180) } })
  t.equal(moved.status, 200, moved.text)
  await announce(scheduledId, 0, 60)
  t.same(eventsOf(scheduledId), [], 'an event of an old time is not sent')
  await announce(scheduledId, 1, 60)
  await announce(scheduledId, 1, 60)
  t.same(eventsOf(scheduledId), ['video.live.starting'], 'once')
  t.equal((await ask(`DELETE ${path}/${scheduledId}`)).status, 200)
  await announce(scheduledId, 1, 15)
  t.equal(eventsOf(scheduledId).length, 1)
  t.equal((await ask(`GET ${path}/${scheduledId}`)).status, 404)
})

t.test('a broadcast that starts is assigned, and a late broadcast is missed', async (t) => {
  const channelId = await channelOf()
  const path = `${base}/${channelId}/schedule`
  const create = async (minutes: number) =>
    (await ask(`POST ${path}`, { body: { title: 'A', startsAt: inMinutes(minutes) } })).body.scheduledId
  const [soon, later] = [await create(10), await create(90)]
  const { id } = await broadcasts.insert(db, { id: newId(), org_id: orgId, channel_id: channelId, record: false })
  await db.transaction((tx) => markBroadcastLive(tx, id))
  t.match((await ask(`GET ${path}/${soon}`)).body, { state: 'started', broadcastId: id })
  t.match((await ask(`GET ${path}/${later}`)).body, { state: 'scheduled' })
  await announce(soon, 0, null)
  t.same(eventsOf(soon), [])
  t.match(await ask(`PATCH ${path}/${soon}`, { body: { title: 'B' } }), { status: 409 })
  await db.transaction((tx) => endBroadcast(tx, id, 'stopped'))
  await announce(later, 0, null)
  t.same(eventsOf(later), ['video.live.missed'])
  t.match((await ask(`GET ${path}/${later}`)).body, { state: 'missed' })
  t.match((await ask(`PATCH ${path}/${later}`, { body: { startsAt: inMinutes(30) } })).body, { state: 'scheduled' })
})

t.test('a channel that was already live long before the start is not missed', async (t) => {
  const channelId = await channelOf()
  const path = `${base}/${channelId}/schedule`
  const { id } = await broadcasts.insert(db, { id: newId(), org_id: orgId, channel_id: channelId, record: false })
  await db.transaction((tx) => markBroadcastLive(tx, id))
  const show = (await ask(`POST ${path}`, { body: { title: 'Show', startsAt: inMinutes(60) } })).body.scheduledId
  await announce(show, 0, null)
  t.same(eventsOf(show), [])
  t.match((await ask(`GET ${path}/${show}`)).body, { state: 'started', broadcastId: id })
})

t.test('bad input names every field, and other organisations see nothing', async (t) => {
  const channelId = await channelOf()
  const path = `${base}/${channelId}/schedule`
  const bad = await ask(`POST ${path}`, {
    body: {
      title: ' ',
      startsAt: '2020-01-01T00:00:00Z',
      posterUrl: 'http://x',
      reminderMinutes: [0],
      lateMinutes: 0,
      other: 1,
    },
  })
  t.equal(bad.status, 400)
  t.same(fieldsOf(bad).toSorted(), [
    'body.lateMinutes',
    'body.other',
    'body.posterUrl',
    'body.reminderMinutes.0',
    'body.startsAt',
    'body.title',
  ])
  t.equal((await ask(`POST ${path}`, { body: { title: 'a', startsAt: inMinutes(60 * 24 * 400) } })).status, 400)
  t.equal((await ask(`GET ${base}/${newId()}/schedule`)).status, 404)
  t.equal((await ask(`GET /v1/stream/live/upcoming/${channelId}`, { key: '' })).status, 404, 'a signed channel')
  t.equal((await ask('GET /v1/stream/live/upcoming/nothing', { key: '' })).status, 403)
})
