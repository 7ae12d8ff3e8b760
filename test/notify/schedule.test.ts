import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { findScheduledTime } from '#tasks/notify/rules/schedule-time.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase(t)

const step = (facts: object) => ({ type: 'schedule' as const, from: '09:00', ...facts })
const at = (facts: object, zone: string, now: string) =>
  findScheduledTime(step(facts), zone, new Date(now)).toISOString()

t.test('a morning, a period, and days of the week', (t) => {
  const vienna = 'Europe/Vienna'
  t.equal(at({}, vienna, '2026-01-15T07:59:00Z'), '2026-01-15T08:00:00.000Z')
  t.equal(at({}, vienna, '2026-01-15T08:00:30Z'), '2026-01-15T08:00:30.000Z', 'within the minute')
  t.equal(at({}, vienna, '2026-01-15T08:01:00Z'), '2026-01-16T08:00:00.000Z')
  t.equal(at({ to: '17:00' }, vienna, '2026-01-15T12:34:56Z'), '2026-01-15T12:34:56.000Z')
  t.equal(at({ to: '17:00' }, vienna, '2026-01-15T16:00:00Z'), '2026-01-16T08:00:00.000Z')
  const days = ['mon', 'tue', 'wed', 'thu', 'fri']
  t.equal(at({ days }, vienna, '2026-01-16T09:00:00Z'), '2026-01-19T08:00:00.000Z', 'Friday to Monday')
  t.equal(
    at({ days: ['sun'] }, 'Pacific/Auckland', '2026-01-17T11:30:00Z'),
    '2026-01-17T20:00:00.000Z',
    'there it is Sunday',
  )
  t.equal(at({ days: ['thu'] }, 'UTC', '2026-01-15T09:01:00Z'), '2026-01-22T09:00:00.000Z', 'a week later')
  t.end()
})

t.test('days on which clocks change', (t) => {
  const [vienna, york] = ['Europe/Vienna', 'America/New_York']
  t.equal(at({}, vienna, '2026-03-28T10:00:00Z'), '2026-03-29T07:00:00.000Z', 'the day has 23 hours')
  t.equal(at({}, vienna, '2026-10-24T10:00:00Z'), '2026-10-25T08:00:00.000Z', 'the day has 25 hours')
  t.equal(at({ from: '02:30' }, vienna, '2026-03-29T00:00:00Z'), '2026-03-29T01:00:00.000Z', 'no such time: the change')
  t.equal(at({ from: '02:30' }, vienna, '2026-10-25T00:00:00Z'), '2026-10-25T00:30:00.000Z', 'twice: the first')
  t.equal(at({ from: '02:30' }, vienna, '2026-10-25T00:40:00Z'), '2026-10-26T01:30:00.000Z')
  t.equal(at({}, york, '2026-03-07T20:00:00Z'), '2026-03-08T13:00:00.000Z')
  t.equal(at({}, york, '2026-10-31T20:00:00Z'), '2026-11-01T14:00:00.000Z')
  t.equal(
    at({ from: '02:15' }, 'Australia/Lord_Howe', '2026-10-03T12:00:00Z'),
    '2026-10-03T15:30:00.000Z',
    'half an hour',
  )
  t.end()
})

t.test('Postgres agrees: at the result it is that time there, on such a day', async (t) => {
  const zones = ['Europe/Vienna', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham', 'America/Santiago', 'UTC']
  const days = ['mon', 'wed', 'sat']
  const cases = zones.flatMap((zone) =>
    Array.from({ length: 60 }, (_, i) => {
      const now = new Date(Date.UTC(2026, 0, 1) + i * 6.1 * 86_400_000)
      return { zone, now, found: findScheduledTime(step({ from: '07:45', days }), zone, now) }
    }),
  )
  for (const { now, found } of cases) t.ok(found >= now && found.getTime() - now.getTime() <= 7.1 * 86_400_000)
  const Shown = z.object({ shown: z.string() })
  const rows = await db.any(sql.type(Shown)`
    select to_char(w.at at time zone w.zone, 'dy HH24:MI') as shown from ${sql.unnest(
      cases.map(({ zone, found }) => [zone, found.toISOString()]),
      ['text', 'timestamptz'],
    )} as w (zone, at)`)
  for (const { shown } of rows) t.match(shown, /^(mon|wed|sat) 07:45$/)
})
