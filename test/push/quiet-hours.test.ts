import t from 'tap'
import { quietUntil } from '#tasks/push/rules/quiet-hours.ts'

const night = { from: '22:00', to: '07:00', time_zone: 'UTC' }
const until = (at: string, zone: string | null = null, quiet = night) =>
  quietUntil(quiet, zone, new Date(at))?.toISOString()

t.test('quiet hours over midnight end in the morning, and begin and end to the minute', async (t) => {
  t.equal(until('2026-01-10T21:59:59Z'), undefined)
  t.equal(until('2026-01-10T22:00:00Z'), '2026-01-11T07:00:00.000Z')
  t.equal(until('2026-01-11T06:59:59Z'), '2026-01-11T07:00:00.000Z')
  t.equal(until('2026-01-11T07:00:00Z'), undefined)
  t.equal(quietUntil(null, 'Europe/Vienna', new Date()), undefined)
})

t.test('hours within a day end on that day', async (t) => {
  const noon = { from: '12:00', to: '14:30', time_zone: 'UTC' }
  t.equal(until('2026-01-10T11:59:00Z', null, noon), undefined)
  t.equal(until('2026-01-10T13:00:00Z', null, noon), '2026-01-10T14:30:00.000Z')
  t.equal(until('2026-01-10T14:30:00Z', null, noon), undefined)
})

t.test('each person’s clock counts, and that of the message for those who have none', async (t) => {
  t.equal(until('2026-01-10T21:30:00Z', 'Europe/Vienna'), '2026-01-11T06:00:00.000Z')
  t.equal(until('2026-01-10T13:30:00Z', 'Asia/Tokyo'), '2026-01-10T22:00:00.000Z')
  t.equal(until('2026-01-10T21:30:00Z', null, { ...night, time_zone: 'America/New_York' }), undefined)
  t.equal(until('2026-01-11T03:30:00Z', null, { ...night, time_zone: 'America/New_York' }), '2026-01-11T12:00:00.000Z')
})

t.test('clocks that are changed in the night end quiet hours by what they show then', async (t) => {
  // 02:00 becomes 03:00 on the 29th, so the night has an hour less; on the 25th of October 03:00 becomes 02:00.
  t.equal(until('2026-03-28T22:00:00Z', 'Europe/Vienna'), '2026-03-29T05:00:00.000Z')
  t.equal(until('2026-10-24T21:00:00Z', 'Europe/Vienna'), '2026-10-25T06:00:00.000Z')
})
