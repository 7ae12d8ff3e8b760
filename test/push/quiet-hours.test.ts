import t from 'tap'
import { getQuietHoursEnd } from '#tasks/push/rules/quiet-hours.ts'

const night = { from: '22:00', to: '07:00', time_zone: 'UTC' }
const until = (at: string, zone: string | null = null, quiet = night) =>
  getQuietHoursEnd(quiet, zone, new Date(at))?.toISOString()

t.test('quiet hours over midnight end in the morning, and begin and end to the minute', async (t) => {
  t.equal(until('2026-01-10T21:59:59Z'), undefined)
  t.equal(until('2026-01-10T22:00:00Z'), '2026-01-11T07:00:00.000Z')
  t.equal(until('2026-01-11T06:59:59Z'), '2026-01-11T07:00:00.000Z')
  t.equal(until('2026-01-11T07:00:00Z'), undefined)
  t.equal(getQuietHoursEnd(null, 'Europe/Vienna', new Date()), undefined)
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

t.test('quiet hours that end in an hour that is left out end when clocks are put forward', async (t) => {
  const early = { ...night, to: '02:30' }
  const cases: [zone: string, now: string, end: string][] = [
    ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-08T07:00:00.000Z'],
    ['America/New_York', '2026-03-08T06:30:00Z', '2026-03-08T07:00:00.000Z'],
    ['America/New_York', '2026-03-08T06:59:30Z', '2026-03-08T07:00:00.000Z'],
    ['Europe/Vienna', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:00:00Z', '2026-10-03T15:30:00.000Z'],
  ]
  for (const [zone, now, end] of cases) {
    const quiet = zone === 'Australia/Lord_Howe' ? { ...night, to: '02:15' } : early
    t.equal(until(now, zone, quiet), end, `${zone} ${now}`)
    t.equal(until(end, zone, quiet), undefined, `${zone}: it is over then`)
  }
})

t.test('quiet hours that end in an hour that comes twice end each time', async (t) => {
  const early = { ...night, to: '01:30' }
  t.equal(until('2026-11-01T05:00:00Z', 'America/New_York', early), '2026-11-01T05:30:00.000Z')
  t.equal(until('2026-11-01T06:00:00Z', 'America/New_York', early), '2026-11-01T06:30:00.000Z')
})

t.test('the end of quiet hours is never quiet, in any zone, whenever clocks change', async (t) => {
  const zones = [
    'America/New_York',
    'America/Havana',
    'Europe/London',
    'Asia/Beirut',
    'Pacific/Chatham',
    'Africa/Casablanca',
  ]
  const wrong: string[] = []
  let ends = 0
  for (const zone of zones)
    for (let day = 0; day < 366; day++)
      for (const to of ['00:15', '02:30']) {
        const quiet = { from: '21:00', to, time_zone: zone }
        const now = new Date(Date.UTC(2026, 0, 1 + day, day % 24, (day * 7) % 60))
        const end = getQuietHoursEnd(quiet, null, now)
        if (end) ends++
        if (end && getQuietHoursEnd(quiet, null, end))
          wrong.push(`${zone} ${to} ${now.toISOString()}: ${end.toISOString()}`)
      }
  t.same(wrong, [])
  t.ok(ends > 300)
})
