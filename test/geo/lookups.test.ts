import { execFile } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { getGeoDatabase } from '#tasks/geo/rules/database.ts'
import { addresses } from '../../ingress/geo/lookups.ts'
import { provide } from '../../ingress/http/container.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { mmdbOf } from '../support/mmdb.ts'
import { until } from '../support/until.ts'

const city = {
  continent: { code: 'EU', names: { en: 'Europe' } },
  country: { iso_code: 'EE', names: { en: 'Estonia' } },
  city: { names: { en: 'Tallinn', ru: 'Таллин' } },
  location: { latitude: 59.437, longitude: -24.7536, time_zone: 'Europe/Tallinn', accuracy_radius: 20 },
  postal: { code: '10111' },
}
const folder = t.testdir({})
const file = join(folder, 'city.mmdb')
const asnFile = join(folder, 'asn.mmdb')
/** A thousand networks, each with a city of its own. */
const networks = Array.from({ length: 1_000 }, (_, i) => ({
  network: i % 5 === 4 ? `2a02:${(i + 1).toString(16)}::/32` : `${20 + (i % 100)}.${i % 256}.0.0/${16 + (i % 9)}`,
  ip: i % 5 === 4 ? `2a02:${(i + 1).toString(16)}::${i.toString(16)}` : `${20 + (i % 100)}.${i % 256}.0.${i % 128}`,
  record: { country: { iso_code: 'SE', names: { en: 'Sweden' } }, city: { names: { en: `Town ${i}` } } },
}))
const known = [
  ['81.90.112.0/20', city],
  ['2001:7d0::/32', city],
] as const
await writeFile(file, mmdbOf([...known, ...networks.map(({ network, record }) => [network, record] as const)]))
const asn = { autonomous_system_number: 3249, autonomous_system_organization: 'Telia Eesti AS' }
await writeFile(asnFile, mmdbOf([['81.90.112.0/21', asn]], 'Test-ASN'))

const { db } = await testDatabase(t)
const { keys } = await testOrg(db, ['geo:read'])
const services = (files: { city?: string; asn?: string }) => [provide(addresses, () => getGeoDatabase(files))]
const ingress = await testIngress(t, db, [], {
  only: ['geo'],
  services: services({ city: file, asn: asnFile }),
  trustedProxies: ['127.0.0.1'],
})
const ask: typeof ingress.ask = (request, options) => ingress.ask(request, { key: keys.main, ...options })

t.test('an address is told with its place, network, owner and the age of the data', async (t) => {
  const { status, body } = await ask('GET /v1/geo/81.90.113.7')
  t.equal(status, 200)
  t.match(body, {
    ip: '81.90.113.7',
    version: 4,
    bogon: false,
    continent: { code: 'EU', name: 'Europe' },
    country: { code: 'EE', name: 'Estonia', is_eu: true, currency: 'EUR', calling_code: '+372' },
    region: null,
    city: 'Tallinn',
    postal_code: '10111',
    location: { latitude: 59.437, longitude: -24.7536, accuracy_radius_km: 20 },
    timezone: 'Europe/Tallinn',
    asn: { number: 3249, organization: 'Telia Eesti AS' },
    network: '81.90.112.0/20',
    flags: { tor: null, hosting: null, vpn: null },
    lists: [],
    source: { provider: 'mmdb', database: 'Test-City', built_at: '2026-09-21T14:13:20.000Z' },
    attribution: /MaxMind/,
  })
  t.match((await ask('GET /v1/geo/81.90.113.7?lang=ru')).body, { city: 'Таллин', country: { name: 'Эстония' } })
  t.match((await ask('GET /v1/geo/2001:7d0:0:0::5')).body, { ip: '2001:7d0::5', version: 6, network: '2001:7d0::/32' })
  t.match((await ask('GET /v1/geo/%3A%3Affff:81.90.113.7')).body, { ip: '81.90.113.7', version: 4, city: 'Tallinn' })
})

t.test('addresses that are nowhere are told by their kind, unknown ones with nulls', async (t) => {
  const kinds = {
    '10.0.0.1': 'private',
    '127.0.0.1': 'loopback',
    '100.64.0.1': 'carrier_grade_nat',
    '192.0.2.1': 'documentation',
    '169.254.169.254': 'link_local',
    '198.18.0.1': 'benchmarking',
    '224.0.0.1': 'multicast',
    '2001:db8::1': 'documentation',
    'fd00::1': 'private',
    'fe80::1%25eth0': 'link_local',
    '64:ff9b::7f00:1': 'translated',
    '::7f00:2': 'reserved',
    '::9.9.9.9': 'reserved',
    '::808:808': 'reserved',
  }
  for (const [ip, bogon_type] of Object.entries(kinds)) {
    t.match((await ask(`GET /v1/geo/${ip}`)).body, { bogon: true, bogon_type, country: null, asn: null }, ip)
  }
  t.match((await ask('GET /v1/geo/9.9.9.9')).body, { bogon: false, country: null, city: null, network: null })
})

t.test('the caller is who the trusted proxy says, whatever the client claims', async (t) => {
  const headers = { 'x-forwarded-for': '9.9.9.9, 81.90.113.7' }
  const trusted = await ask('GET /v1/geo', { headers })
  t.match(trusted.body, { ip: '81.90.113.7', city: 'Tallinn' })
  t.equal(trusted.headers.get('cache-control'), 'no-store')
  const open = await testIngress(t, db, [], { only: ['geo'], services: services({ city: file }) })
  t.match((await open.ask('GET /v1/geo', { key: keys.main, headers })).body, {
    ip: '127.0.0.1',
    bogon_type: 'loopback',
  })
})

t.test('a batch keeps order and duplicates; one that is no address fails alone', async (t) => {
  const ips = ['81.90.113.7', 'x', '10.0.0.1', '9.9.9.9', '81.90.113.7', '0x7f.1', '1.2.3']
  const { body } = await ask('POST /v1/geo/batch', { body: { ips, lang: 'de' } })
  t.same(
    body.results.map(({ ip, status }: { ip: string; status: string }) => [ip, status]),
    [
      ['81.90.113.7', 'ok'],
      ['x', 'invalid'],
      ['10.0.0.1', 'bogon'],
      ['9.9.9.9', 'not_found'],
      ['81.90.113.7', 'ok'],
      ['0x7f.1', 'invalid'],
      ['1.2.3', 'invalid'],
    ],
  )
  t.match(body, { count: 7, results: [{ country: { name: 'Estland' } }] })
})

t.test('a thousand addresses are told as another reader of the same file tells them', async (t) => {
  const script = `
import json, sys, maxminddb
reader = maxminddb.open_database(sys.argv[1], maxminddb.MODE_FILE)
found = [reader.get_with_prefix_len(ip) for ip in json.loads(sys.argv[2])]
print(json.dumps([[r["country"]["iso_code"], r["city"]["names"]["en"], n] for r, n in found]))`
  const ips = networks.map(({ ip }) => ip)
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', script, file, JSON.stringify(ips)])
  const theirs = JSON.parse(stdout)
  for (let i = 0; i < ips.length; i += 100) {
    const { body } = await ask('POST /v1/geo/batch', { body: { ips: ips.slice(i, i + 100) } })
    t.same(
      // biome-ignore lint/suspicious/noExplicitAny: a JSON answer.
      body.results.map(({ country, city, network }: any) => [country.code, city, Number(network.split('/')[1])]),
      theirs.slice(i, i + 100),
    )
  }
})

t.test('a file that is replaced is read again; one that cannot be read is a 503', async (t) => {
  const own = join(folder, 'own.mmdb')
  await writeFile(own, mmdbOf([['81.90.112.0/20', city]]))
  const { ask: asked } = await testIngress(t, db, [], { only: ['geo'], services: services({ city: own }) })
  const place = async () => (await asked('GET /v1/geo/81.90.113.7', { key: keys.main })).body.city
  t.equal(await place(), 'Tallinn')
  await writeFile(`${own}.new`, mmdbOf([['81.90.112.0/20', { city: { names: { en: 'Tartu' } } }]]))
  await rename(`${own}.new`, own)
  await until(async () => (await place()) === 'Tartu')
  const none = await testIngress(t, db, [], { only: ['geo'], services: services({ city: join(folder, 'none.mmdb') }) })
  t.equal((await none.ask('GET /v1/geo/1.1.1.1', { key: keys.main })).status, 503)
})

t.test('data of DB-IP are attributed to them', async (t) => {
  const theirs = join(folder, 'dbip.mmdb')
  await writeFile(theirs, mmdbOf([['81.90.112.0/20', city]], 'DBIP-City-Lite'))
  const { ask: asked } = await testIngress(t, db, [], { services: services({ city: theirs }) })
  const source = { provider: 'mmdb', database: 'DBIP-City-Lite' }
  const told = { source, attribution: 'IP Geolocation by DB-IP, https://db-ip.com.' }
  t.match((await asked('GET /v1/geo/81.90.113.7', { key: keys.main })).body, told)
  t.match((await asked('POST /v1/geo/batch', { key: keys.main, body: { ips: ['81.90.113.7'] } })).body, told)
})

t.test('without a file, the packaged data answer, and say how old they are', async (t) => {
  const { ask: asked } = await testIngress(t, db, [], { only: ['geo'], services: services({}) })
  const { body } = await asked('GET /v1/geo/1.1.1.1?lang=en', { key: keys.main })
  t.match(body, { country: { code: 'AU', name: 'Australia' }, continent: { code: 'OC', name: 'Oceania' }, asn: null })
  t.match(body.source, { provider: 'geoip-lite', database: /geoip-lite \d/ })
  t.ok(Date.parse(body.source.built_at) > Date.parse('2026-01-01'))
  const six = await asked('GET /v1/geo/2001:4860:4860::8888', { key: keys.main })
  t.match(six.body, { country: { code: 'US' }, continent: { code: 'NA' }, postal_code: null })
})

t.test('what is wrong is named', async (t) => {
  const wrong: [string, unknown, string][] = [
    ['GET /v1/geo/1.2.3', undefined, 'path.ip'],
    ['GET /v1/geo/2130706433', undefined, 'path.ip'],
    ['GET /v1/geo/1.1.1.1?lang=no_no_no!', undefined, 'query.lang'],
    ['POST /v1/geo/batch', {}, 'body.ips'],
    ['POST /v1/geo/batch', { ips: [] }, 'body.ips'],
    ['POST /v1/geo/batch', { ips: Array(101).fill('1.1.1.1') }, 'body.ips'],
    ['POST /v1/geo/batch', { ips: [7] }, 'body.ips.0'],
    ['POST /v1/geo/batch', { ips: '1.1.1.1' }, 'body.ips'],
    ['POST /v1/geo/batch', { ips: ['1.1.1.1'], lang: '' }, 'body.lang'],
  ]
  for (const [request, body, field] of wrong) {
    const reply = await ask(request, body === undefined ? {} : { body })
    t.match(reply, { status: 400, body: { error: { details: [{ field }] } } }, `${request} ${reply.text}`)
  }
})
