import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import { provide } from '../../ingress/http/container.ts'
import { createCountries } from '../../ingress/playback/country.ts'
import { countryLookup } from '../../ingress/playback/services.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { mmdb } from '../support/mmdb.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { db, orgId } = stack

async function playable(org = orgId): Promise<string> {
  const facts = { title: 'Steam', external_ref: null, filename: null, mime_type: null, watermark: null, bytes: 1 }
  const { id } = await assets.insert(db, { id: newId(), org_id: org, ...facts, profile: 'standard_vod' })
  const package_id = newId()
  await playlists.insertMany(db, id, package_id, [{ name: 'master.m3u8', body: '#EXTM3U\n' }])
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'ready', stage = 'ready', package_id = ${package_id} where id = ${id}`)
  return id
}

const agents = {
  phone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1',
  desk: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  tablet: 'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0 Safari/537.36',
  bot: 'Mozilla/5.0 (compatible; Googlebot/2.1)',
} as const

const mint = async (assetId: string) =>
  (await stack.ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: {} })).body.token as string

const collect = (body: object, agent: keyof typeof agents = 'desk', headers: Record<string, string> = {}) =>
  stack.ingress.ask('POST /v1/stream/collect', { body, headers: { 'user-agent': agents[agent], ...headers } })

const read = async (path: string) => (await stack.ask(`GET /v1/stream/${path}`)).body

const view = (token: string, viewId: string) => ({ token, viewId, sequence: 1, startupSeconds: 0.4, playSeconds: 10 })

const page = 'https://shop.example/course'

t.test('plays, viewers and watch time by day, country, device, browser and page', async (t) => {
  const asset = await playable()
  const token = await mint(asset)
  await collect({ ...view(token, 'desk-view-1'), tenths: [0, 1], page: `${page}?email=ann@example.net#top` })
  await collect({ ...view(token, 'desk-view-1'), sequence: 2, playSeconds: 25, tenths: [0, 1, 2, 3], page })
  await collect({ ...view(token, 'desk-view-2'), tenths: [0], page: 'https://shop.example/other' })
  await collect({ ...view(token, 'phone-view'), tenths: [0, 9], page }, 'phone')
  await collect(
    {
      ...view(token, 'tablet-view'),
      errors: [
        { code: 'decode', fatal: true },
        { code: 'timeout', count: 3 },
      ],
    },
    'tablet',
  )
  await collect({ ...view(token, 'bot-view-1'), page }, 'bot')
  const report = await read(`assets/${asset}/analytics`)
  t.match(report, {
    assetId: asset,
    filter: {},
    totals: { plays: 4, viewers: 3, playSeconds: 55, failedPlays: 1, errors: 4, averagePlaySeconds: 13.75 },
    days: [{ plays: 4, viewers: 3, playSeconds: 55, failedPlays: 1 }],
    retention: [1, 0.3333, 0.3333, 0.3333, 0, 0, 0, 0, 0, 0.3333],
    countries: [{ value: 'unknown', plays: 4 }],
    devices: [
      { value: 'desktop', plays: 2, viewers: 1, playSeconds: 35 },
      { value: 'tablet', plays: 1, viewers: 1, failedPlays: 1 },
      { value: 'mobile', plays: 1, viewers: 1 },
    ],
    browsers: [{ value: 'chrome', plays: 2 }, { value: 'samsung' }, { value: 'safari' }],
    pages: [
      { value: page, plays: 2, viewers: 2 },
      { value: 'unknown' },
      { value: 'https://shop.example/other', plays: 1, viewers: 0 },
    ],
    errors: [
      { code: 'timeout', count: 3, fatal: 0 },
      { code: 'decode', count: 1, fatal: 1 },
    ],
  })
  t.equal(report.days.length, 1)
  t.notMatch(JSON.stringify(report), 'ann@')
  const phones = await read(`assets/${asset}/analytics?device=mobile`)
  t.match(phones, { filter: { device: 'mobile' }, totals: { plays: 1 }, retention: [1, 0], devices: [], errors: [] })
  t.match(await read(`assets/${asset}/analytics?country=de`), {
    filter: { country: 'DE' },
    totals: { plays: 0, averagePlaySeconds: null },
    retention: null,
  })

  const other = await playable()
  await collect(view(await mint(other), 'desk-view-3'))
  const whole = await read('analytics')
  t.match(whole, {
    totals: { plays: 5, viewers: 3 },
    assets: [
      { assetId: asset, title: 'Steam', plays: 4 },
      { assetId: other, plays: 1, viewers: 1 },
    ],
  })
  const deleted = await stack.ask(`DELETE /v1/stream/assets/${other}`)
  t.ok(deleted.status < 300)
  t.match(await read('analytics'), { totals: { plays: 5 } })
})

t.test('the file has what the report has', async (t) => {
  const asset = await playable()
  await collect({ ...view(await mint(asset), 'one-view-1'), tenths: [0, 4], page: 'https://shop.example/a,b' })
  const answer = await stack.ask(`GET /v1/stream/analytics/export?assetId=${asset}`)
  t.match(answer.headers.get('content-type'), 'text/csv')
  const [heading, first, ...rows] = answer.text.trim().split('\r\n')
  t.match(heading, /^day,dimension,value,plays,viewers,play_seconds,failed_plays,errors,measured_plays,tenth_1,/)
  t.match(first, /^\d{4}-\d\d-\d\d,all,,1,1,10,0,0,1,1,0,0,0,1,0,0,0,0,0$/)
  t.match(rows.at(-1), /,page,"https:\/\/shop.example\/a,b",1,/)
  t.equal(rows.length, 4)
})

t.test('forged time, pages and viewers are limited', async (t) => {
  const asset = await playable()
  const token = await mint(asset)
  await collect({ ...view(token, 'liar-view-1'), playSeconds: 604_800, page: 'https://bank.example/' }, 'desk', {
    origin: 'https://shop.example',
  })
  const report = await read(`assets/${asset}/analytics`)
  t.ok(report.totals.playSeconds < 700, report.totals.playSeconds)
  t.strictSame(
    report.pages.map(({ value }: { value: string }) => value),
    ['https://shop.example/'],
  )
  await db.query(sql.typeAlias('void')`
    insert into video.audience_days (asset_id, org_id, day, dimension, value)
    select ${asset}, ${orgId}, (now() at time zone 'UTC')::date, 'page', 'https://x.example/' || n from generate_series(1, 200) as n`)
  await collect({ ...view(token, 'liar-view-2'), page: 'https://x.example/201' })
  await collect({ ...view(token, 'liar-view-3'), page: 'https://x.example/7' })
  const values = (await read(`assets/${asset}/analytics`)).pages.map(
    ({ value, plays }: { value: string; plays: number }) => [value, plays],
  )
  t.ok(values.some(([value, plays]: [string, number]) => value === 'other' && plays === 1))
  t.ok(values.some(([value, plays]: [string, number]) => value === 'https://x.example/7' && plays === 1))
  const origin = `https://${randomBytes(4_000).toString('hex')}.example`
  const long = await collect({ ...view(token, 'liar-view-5'), page: 'https://x.example/' }, 'desk', { origin })
  t.equal(long.status, 204, 'an origin of any length')
  const forged = await collect({ ...view(`${token}x`, 'liar-view-4') })
  t.equal(forged.status, 403)
})

t.test('errors of bad beacons and queries name every field, and other beacons are stored', async (t) => {
  const asset = await playable()
  const token = await mint(asset)
  const beacons = await Promise.all([
    collect({ ...view(token, 'good-view-1') }),
    collect({ ...view(token, 'bad-view-12'), tenths: [10, 'x'], page: 'javascript:alert(1)' }),
    collect({ ...view(token, 'good-view-2'), page: 'https://ü.example/ä' }),
  ])
  t.strictSame(
    beacons.map(({ status }) => status),
    [204, 400, 204],
  )
  t.strictSame(fieldsOf(beacons[1]), ['body.page', 'body.tenths.0', 'body.tenths.1'])
  t.match(await read(`assets/${asset}/analytics`), { totals: { plays: 2 } })
  const asked = async (query: string) => fieldsOf(await stack.ask(`GET /v1/stream/analytics?${query}`))
  t.strictSame(await asked('from=yesterday&to=2026-02-30&page='), ['query.from', 'query.page', 'query.to'])
  t.strictSame(await asked('from=2026-02-02&to=2026-02-01'), ['query.from'])
  t.strictSame(await asked('from=2020-01-01&to=2026-02-01'), ['query.from'])
  t.strictSame(await asked('country=DE&device=tv&page=x'), ['query.device', 'query.page'])
})

t.test('an organisation reads only its own', async (t) => {
  const asset = await playable()
  await collect(view(await mint(asset), 'own-view-1'))
  const stranger = await testOrg(db, ['stream:read'])
  const ask = (path: string) => stack.ingress.ask(`GET /v1/stream/${path}`, { key: stranger.keys.main })
  t.equal((await ask(`assets/${asset}/analytics`)).status, 404)
  t.equal((await ask(`analytics/export?assetId=${asset}`)).status, 404)
  t.match((await ask('analytics')).body, { totals: { plays: 0 }, assets: [], days: [] })
})

t.test('the country comes from the IP address, also behind a proxy, and no address is stored', async (t) => {
  const file = join(stack.data, 'countries.mmdb')
  await writeFile(file, mmdb({ '203.0.113.0/25': 'EE', '198.51.100.0/24': 'US' }))
  const services = [provide(countryLookup, createCountries({ city: file }))]
  const ingress = await stack.another(db, { trustedProxies: ['127.0.0.1'], services })
  const asset = await playable()
  const token = await mint(asset)
  for (const [i, ip] of ['203.0.113.5', '203.0.113.6', '198.51.100.7', '192.0.2.1'].entries())
    await ingress.ask('POST /v1/stream/collect', {
      body: view(token, `view-of-${i}-1`),
      headers: { 'x-forwarded-for': ip, 'user-agent': agents.desk },
    })
  const { countries } = await read(`assets/${asset}/analytics`)
  t.match(countries, [
    { value: 'EE', plays: 2, viewers: 2 },
    { value: 'US', plays: 1 },
    { value: 'unknown', plays: 1 },
  ])
  t.match(await read(`assets/${asset}/analytics?country=ee`), { totals: { plays: 2 } })
  const rows = await db.any(sql.unsafe`
    select to_jsonb(v)::text from video.views as v union all select to_jsonb(k)::text from video.audience_viewers as k`)
  t.notMatch(JSON.stringify(rows), /203\.0\.113|198\.51\.100/)
})
