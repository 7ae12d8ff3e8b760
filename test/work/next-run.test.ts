import t from 'tap'
import { isTimeZone } from '#lib/time-zone.ts'
import { CronError, parseCron } from '#tasks/work/rules/schedules/cron.ts'
import { findLastRun, findNextRun, listNextRuns, type Timing } from '#tasks/work/rules/schedules/next-run.ts'

const timing = (cron: string, zone: string, rest: Partial<Timing> = {}): Timing => ({
  ...{ cron, time_zone: zone, every_seconds: null, anchor: new Date(0), starts_at: null, ends_at: null },
  ...rest,
})

const runs = (cron: string, zone: string, from: string, count: number) =>
  listNextRuns(timing(cron, zone), new Date(from), count).map((at) => at.toISOString().slice(0, 16))

t.test('a skipped local time runs once, at the change of the clock', async (t) => {
  t.same(runs('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2), ['2026-03-29T01:00', '2026-03-30T00:30'])
  t.same(runs('0,15 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 3), [
    '2026-03-29T01:00',
    '2026-03-29T01:15',
    '2026-03-30T00:00',
  ])
  t.same(runs('30 2 * * *', 'Europe/Berlin', '2026-03-29T00:59:59.999Z', 1), ['2026-03-29T01:00'], 'just before it')
  t.same(runs('0 2 * * *', 'America/New_York', '2026-03-07T12:00Z', 2), ['2026-03-08T07:00', '2026-03-09T06:00'])
  t.same(runs('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', 2), ['2026-10-03T15:30', '2026-10-04T15:15'])
})

t.test('a local time that occurs twice runs once, the first time', async (t) => {
  t.same(runs('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2), ['2026-10-25T00:30', '2026-10-26T01:30'])
  t.same(runs('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', 2), ['2026-11-01T05:30', '2026-11-02T06:30'])
  t.same(runs('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z', 2), ['2026-04-04T14:45', '2026-04-05T15:15'])
  t.same(runs('30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10Z', 1), ['2026-10-26T01:30'], 'after the first time')
})

/** Returns the instants at which the clock shows one of the minutes, found minute by minute. */
function shownInstants(zone: string, from: number, minutes: number, shown: (minute: number) => boolean): string[] {
  const clock = new Intl.DateTimeFormat('en', { timeZone: zone, minute: 'numeric' })
  return Array.from({ length: minutes }, (_, i) => from + (i + 1) * 60_000)
    .filter((at) => shown(Number(clock.format(at))))
    .map((at) => new Date(at).toISOString().slice(0, 16))
}

const changes = {
  'Europe/Berlin': ['2026-03-29T00:00Z', '2026-10-25T00:00Z'],
  'America/New_York': ['2026-03-08T05:00Z', '2026-11-01T04:00Z'],
  'Australia/Lord_Howe': ['2026-10-03T14:00Z', '2026-04-04T13:00Z'],
  'Asia/Kathmandu': ['2026-03-29T00:00Z'],
} as const

for (const [zone, nights] of Object.entries(changes))
  t.test(`an expression without hours runs whenever the clock of ${zone} shows it`, async (t) => {
    for (const night of nights)
      for (const step of [10, 15, 30, 60]) {
        const expected = shownInstants(zone, Date.parse(night), 6 * 60, (minute) => minute % step === 0)
        const cron = step === 60 ? '0 * * * *' : `*/${step} * * * *`
        t.same(runs(cron, zone, night, expected.length), expected, `${cron} from ${night}`)
      }
  })

t.test('each run is found again from the instant before it', async (t) => {
  for (const zone of Object.keys(changes))
    for (const cron of ['*/7 * * * *', '5 1-3 * * *', '0 0 1 * *', '0 9 * * MON#1', '0 12 L * *']) {
      const all = listNextRuns(timing(cron, zone), new Date('2026-01-01T00:00Z'), 40)
      for (const [i, at] of all.entries()) {
        const before = new Date(at.getTime() - 1)
        const found = findNextRun(timing(cron, zone), before)
        if (found?.getTime() !== at.getTime()) t.fail(`${cron} in ${zone}: run ${i} from ${before.toISOString()}`)
      }
      t.equal(new Set(all.map(Number)).size, all.length, 'each instant is one run')
    }
})

t.test('an interval keeps its distance from its start', async (t) => {
  const interval = timing('', 'UTC', { cron: null, every_seconds: 90, anchor: new Date('2026-01-01T00:00:10Z') })
  const at = (text: string) => findNextRun(interval, new Date(text))?.toISOString()
  t.equal(at('2025-01-01T00:00Z'), '2026-01-01T00:00:10.000Z')
  t.equal(at('2026-01-01T00:00:10Z'), '2026-01-01T00:01:40.000Z')
  t.equal(at('2026-06-01T00:00:00Z'), '2026-06-01T00:00:10.000Z')
})

t.test('a schedule runs only between its start and its end', async (t) => {
  const limited = timing('0 * * * *', 'UTC', {
    starts_at: new Date('2026-02-01T05:00Z'),
    ends_at: new Date('2026-02-01T06:59Z'),
  })
  const all = listNextRuns(limited, new Date('2026-01-01T00:00Z'), 5)
  t.same(all.map(String), [new Date('2026-02-01T05:00Z'), new Date('2026-02-01T06:00Z')].map(String))
})

t.test('the last missed run is found without walking through all', async (t) => {
  const daily = timing('*/5 * * * *', 'Europe/Berlin')
  const last = findLastRun(daily, new Date('2026-01-01T00:00Z'), new Date('2026-11-29T12:13:14Z'))
  t.equal(last.toISOString(), '2026-11-29T12:10:00.000Z')
  const rare = timing('0 0 29 2 *', 'UTC')
  t.equal(findLastRun(rare, new Date('2024-02-29T00:00Z'), new Date('2027-01-01T00:00Z')).getUTCFullYear(), 2024)
})

const wrong = {
  '0 0 30 2 *': 'must match a day',
  '0 0 31 4,6 ?': 'must match a day',
  '* * * * * *': '5 fields',
  '': '5 fields',
  '61 * * * *': 'in 0-59, not 61',
  '0 0 * * 8': 'in 0-7, not 8',
  'H H * * *': 'must contain only',
  '@reboot': 'must be one of',
  '5-1 * * * *': 'must be a cron expression',
  '*/0 * * * *': 'must be a cron expression',
  '##### * * * *': 'must be a cron expression',
  [`${'1,'.repeat(5_000)}1 * * * *`]: 'at most 100 characters',
  '0\u0000 * * * *': 'must contain only',
}

t.test('a wrong expression is refused with its reason', async (t) => {
  for (const [cron, reason] of Object.entries(wrong))
    t.throws(
      () => parseCron(cron),
      { constructor: CronError, message: new RegExp(reason.replace(/[*.?]/g, '\\$&')) },
      cron,
    )
})

t.test('only names of the IANA database are time zones', async (t) => {
  t.ok(['UTC', 'Europe/Berlin', 'Asia/Kathmandu'].every(isTimeZone))
  t.notOk(['+02:00', 'Nope/Zone', '', 'x'.repeat(60), '\u0000'].some(isTimeZone))
})
