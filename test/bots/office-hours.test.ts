import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Interval } from '#sql/bots/hours.ts'
import { personTables } from '#sql/bots/person.ts'
import { sql } from '#sql/db.ts'
import { chooseLanguage, noticeLanguages, writeAbsenceNotice } from '#tasks/bots/rules/absence-notice.ts'
import { findIntervalFaults, getAvailability, isOpen } from '#tasks/bots/rules/office-hours.ts'
import { fieldsOf } from '../support/ingress.ts'
import { botsStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await botsStack(t)
const { ask, askElse, db } = stack

const every = (from: string, to: string, days = [1, 2, 3, 4, 5, 6, 7]): Interval[] =>
  days.map((day) => ({ day, from, to }))

const hours = (intervals: Interval[], closed_dates: string[] = [], time_zone = 'Europe/Berlin') => ({
  ...{ intervals, closed_dates, time_zone },
})

const next = (of: ReturnType<typeof hours>, now: string) => {
  const { available, next_open_at } = getAvailability(of, Date.parse(now))
  return available ? 'open' : (next_open_at?.toISOString() ?? 'never')
}

t.test('the next opening is right over weekends, holidays and midnight', async (t) => {
  const week = hours(every('09:00', '17:00', [1, 2, 3, 4, 5]), ['2026-12-25'])
  t.equal(next(week, '2026-12-23T12:00:00Z'), 'open')
  t.equal(next(week, '2026-12-23T07:59:59Z'), '2026-12-23T08:00:00.000Z')
  t.equal(next(week, '2026-12-24T16:00:00Z'), '2026-12-28T08:00:00.000Z', 'after the holiday and the weekend')
  t.equal(next(week, '2026-12-24T15:59:59Z'), 'open', 'until 17:00')
  const night = hours([
    { day: 5, from: '22:00', to: '24:00' },
    { day: 6, from: '00:00', to: '02:00' },
  ])
  t.equal(next(night, '2026-06-05T21:59:59Z'), 'open', 'before midnight')
  t.equal(next(night, '2026-06-05T22:00:00Z'), 'open', 'after midnight')
  t.equal(next(night, '2026-06-06T00:00:00Z'), '2026-06-12T20:00:00.000Z')
  t.equal(next(hours([]), '2026-06-06T00:00:00Z'), 'never')
  const mondays = Array.from({ length: 100 }, (_, week) =>
    new Date(Date.UTC(2026, 0, 5) + week * 7 * 86_400_000).toISOString().slice(0, 10),
  )
  t.equal(next(hours(every('09:00', '10:00', [1]), mondays), '2026-01-01T00:00:00Z'), '2027-12-06T08:00:00.000Z')
  t.equal(
    next(hours(every('09:00', '17:00'), [], 'Pacific/Kiritimati'), '2026-06-05T12:00:00Z'),
    '2026-06-05T19:00:00.000Z',
  )
  t.equal(
    next(hours(every('09:00', '17:00'), [], 'Pacific/Pago_Pago'), '2026-06-05T12:00:00Z'),
    '2026-06-05T20:00:00.000Z',
  )
})

t.test('clocks that change move the opening, skip an interval, and repeat one', async (t) => {
  const early = hours(every('09:00', '10:00'))
  t.equal(next(early, '2026-03-28T10:00:00Z'), '2026-03-29T07:00:00.000Z', 'the first day of summer time')
  t.equal(next(early, '2026-10-24T10:00:00Z'), '2026-10-25T08:00:00.000Z', 'the first day of winter time')
  const skipped = hours(every('02:00', '03:00'))
  t.equal(next(skipped, '2026-03-28T12:00:00Z'), '2026-03-30T00:00:00.000Z', 'no local 02:00 on 29 March')
  const cut = hours(every('02:30', '05:00'))
  t.equal(next(cut, '2026-03-28T12:00:00Z'), '2026-03-29T01:00:00.000Z', 'opens when the clocks change')
  t.notOk(isOpen(cut, Date.parse('2026-03-29T00:59:59Z')))
  const twice = hours(every('02:15', '02:30'))
  t.equal(next(twice, '2026-10-25T00:20:00Z'), 'open')
  t.equal(next(twice, '2026-10-25T00:30:00Z'), '2026-10-25T01:15:00.000Z', 'the repeated hour')
  t.equal(next(twice, '2026-10-25T01:20:00Z'), 'open')
  const half = hours(every('02:00', '02:30'), [], 'Australia/Lord_Howe')
  t.equal(next(half, '2026-10-03T14:00:00Z'), '2026-10-04T15:00:00.000Z', 'clocks go from 02:00 to 02:30')
})

t.test('intervals that overlap or end before they start are named', async (t) => {
  const faults = findIntervalFaults([
    ...every('09:00', '12:00', [1]),
    ...every('11:59', '13:00', [1]),
    ...every('12:00', '12:00', [2]),
    ...every('22:00', '02:00', [3]),
    ...every('12:00', '24:00', [1, 4]),
  ])
  t.same(
    faults.map(({ index, field }) => [index, field]),
    [
      [1, 'from'],
      [2, 'to'],
      [3, 'to'],
      [4, 'from'],
    ],
  )
})

t.test('the notice is in the language of the visitor, or else of the bot, or else in English', async (t) => {
  t.equal(chooseLanguage(['de-AT', 'en']), 'de')
  t.equal(chooseLanguage([null, 'fr']), 'fr')
  t.equal(chooseLanguage(['xx', undefined]), 'en')
  t.equal(chooseLanguage(['__proto__', 'constructor']), 'en')
  const at = new Date('2026-11-30T08:00:00Z')
  for (const language of noticeLanguages) {
    t.match(writeAbsenceNotice({ language, timeZone: 'Europe/Vienna' }, at), /09:00/, language)
    t.notMatch(writeAbsenceNotice({ language, timeZone: 'Europe/Vienna' }, null), /\d/, language)
  }
  t.match(writeAbsenceNotice({ language: 'de', timeZone: 'Europe/Vienna' }, at), /Montag, 30\. November/)
})

async function done(request: string, body: object = {}) {
  const reply = await ask(request, request.startsWith('GET') || request.startsWith('DELETE') ? {} : { body })
  if (reply.status >= 300) throw new Error(`${request}: ${reply.text}`)
  return reply.body
}

/** Office hours that are open only on the local weekday after tomorrow, so that the bot is closed now. */
function closedNow() {
  const day = ((new Date().getUTCDay() + 1) % 7) + 1
  return { time_zone: 'UTC', intervals: [{ day, from: '09:00', to: '10:00' }] }
}

t.test('a handover outside office hours says when people are back, and waits', async (t) => {
  const bot = await stack.bot({ handover: true, languages: ['fr'] })
  t.equal((await ask(`GET /v1/bots/${bot}/hours`)).status, 404)
  t.match((await ask(`GET /v1/bots/${bot}/visit`)).body, { available: true, next_open_at: null })
  const set = await done(`PUT /v1/bots/${bot}/hours`, closedNow())
  t.match(set, { available: false, next_open_at: /T09:00:00/, asks_email: true, closed_dates: [] })
  t.match(await done(`GET /v1/bots/${bot}/hours`), { next_open_at: set.next_open_at })
  const { conversation_id: id } = (await stack.say(bot, 'Let me talk to a person')).body
  const said = (await done(`GET /v1/bots/${bot}/messages?conversation_id=${id}&order=asc`)).data
  t.match(said, [
    { seq: 1, role: 'user' },
    { seq: 2, role: 'assistant', author: null, content: /équipe.*09:00/ },
  ])
  t.match((await done(`GET /v1/bots/conversations?after_hours=true`)).data, [
    { conversation_id: id, waits: true, after_hours: true, last_message: 'Let me talk to a person' },
  ])
  t.same((await done(`GET /v1/bots/conversations?after_hours=false`)).data, [])
  t.match((await stack.say(bot, 'Hello?', { conversation_id: id })).body.message, { seq: 3 })
  await done(`DELETE /v1/bots/${bot}/hours`)
  t.equal((await ask(`DELETE /v1/bots/${bot}/hours`)).status, 404)
  const open = (await stack.say(bot, 'Let me talk to a person')).body
  t.equal((await done(`GET /v1/bots/${bot}/messages?conversation_id=${open.conversation_id}`)).data.length, 1)
})

t.test('a visitor leaves an address while the conversation waits', async (t) => {
  const bot = await stack.bot({ handover: true })
  await done(`PUT /v1/bots/${bot}/hours`, closedNow())
  const chat = await ask(`POST /v1/bots/${bot}/visit/chat`, {
    body: { message: 'Let me talk to a person', language: 'de-AT' },
  })
  const at = `/v1/bots/${bot}/visit/${chat.body.conversation_id}`
  const waiting = await done(`GET ${at}/messages`)
  t.match(waiting, { handed_over: true, available: false, asks_email: true, rateable: false })
  t.match(waiting.data[1].content, /Unser Team/)
  for (const [body, field] of [
    [{}, 'body'],
    [{ email: 'nobody' }, 'body.email'],
    [{ email: null }, 'body.email'],
    [{ email: 'a@b.example', name: 'a\nb' }, 'body.name'],
    [{ name: 'x'.repeat(101) }, 'body.name'],
    [{ email: 'a@b.example', more: 1 }, 'body.more'],
  ] as const) {
    const reply = await ask(`PUT ${at}/contact`, { body })
    t.same([reply.status, fieldsOf(reply)], [400, [field]], JSON.stringify(body))
  }
  t.match(await done(`PUT ${at}/contact`, { email: 'Ann@Example.net', name: 'Ann' }), { stored: true })
  t.match((await done(`GET /v1/bots/conversations?bot_id=${bot}`)).data, [
    { visitor_email: 'ann@example.net', visitor_name: 'Ann' },
  ])
  t.match(await done(`GET ${at}/messages`), { asks_email: false })
  t.equal((await askElse(`PUT ${at}/contact`, { body: { name: 'Eve' } })).status, 404)
  await done(`POST ${at.replace('visit', 'conversations')}/return`)
  const org_id = await db.oneFirst(
    sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`,
  )
  const erased = async (email: string) => {
    const person = { org_id, user_id: 'ann', person_id: newId(), emails: [email], phones: [], wa_ids: [], push_ids: [] }
    const table = personTables.find(({ name }) => name === 'bots.conversations')
    return await db.transaction(async (tx) => (await table?.erase(tx, person, 10))?.rows)
  }
  t.equal((await ask(`PUT ${at}/contact`, { body: { name: 'Ann' } })).status, 409)
  t.equal(await erased('eve@example.net'), 0)
  t.equal(await erased('ann@example.net'), 1, 'the conversation is deleted with the person')
})

t.test('wrong office hours name their fields', async (t) => {
  const bot = await stack.bot()
  const interval = { day: 1, from: '09:00', to: '17:00' }
  const fits = { time_zone: 'UTC', intervals: [interval] }
  const bad: [object, string][] = [
    ...[undefined, null, 0, '', '+02:00', 'Europe/Nowhere', 'x'.repeat(100)].map((time_zone): [object, string] => [
      { ...fits, time_zone },
      'body.time_zone',
    ]),
    ...[null, 'a', 0, Array.from({ length: 51 }, () => interval)].map((intervals): [object, string] => [
      { ...fits, intervals },
      'body.intervals',
    ]),
    ...[0, 8, 1.5, '1', null].map((day): [object, string] => [
      { ...fits, intervals: [{ ...interval, day }] },
      'body.intervals.0.day',
    ]),
    ...['24:00', '9:00', '09:60', '25:00', '', 9, '09:00:00'].map((from): [object, string] => [
      { ...fits, intervals: [{ ...interval, from }] },
      'body.intervals.0.from',
    ]),
    ...['24:01', '09:00', '08:00', '', null].map((to): [object, string] => [
      { ...fits, intervals: [{ ...interval, to }] },
      'body.intervals.0.to',
    ]),
    [{ ...fits, intervals: [interval, interval] }, 'body.intervals.1.from'],
    ...['2026-02-30', '25.12.2026', '', '0000-01-01', 1].map((date): [object, string] => [
      { ...fits, closed_dates: [date] },
      'body.closed_dates.0',
    ]),
    [{ ...fits, closed_dates: ['2026-12-25', '2026-12-25'] }, 'body.closed_dates'],
    [{ ...fits, asks_email: 'yes' }, 'body.asks_email'],
    [{ ...fits, more: 1 }, 'body.more'],
  ]
  for (const [body, field] of bad) {
    const reply = await ask(`PUT /v1/bots/${bot}/hours`, { body })
    t.same([reply.status, fieldsOf(reply)], [400, [field]], JSON.stringify(body).slice(0, 80))
  }
  for (const request of ['GET', 'DELETE', 'PUT'])
    t.equal((await askElse(`${request} /v1/bots/${bot}/hours`, request === 'PUT' ? { body: fits } : {})).status, 404)
})
