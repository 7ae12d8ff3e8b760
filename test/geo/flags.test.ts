import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { FlagFiles } from '#tasks/geo/rules/address-flags.ts'
import { readAddressList } from '#tasks/geo/rules/address-list.ts'
import { getGeoDatabase } from '#tasks/geo/rules/database.ts'
import { addresses } from '../../ingress/geo/lookups.ts'
import { provide } from '../../ingress/http/container.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { mmdbOf } from '../support/mmdb.ts'
import { until } from '../support/until.ts'

const folder = t.testdir({})
const [city, asn] = [join(folder, 'city.mmdb'), join(folder, 'asn.mmdb')]
const bolivia = { country: { iso_code: 'BO', names: { en: 'Bolivia' } } }
const antarctica = { country: { iso_code: 'AQ', names: { en: 'Antarctica' } } }
await writeFile(
  city,
  mmdbOf([
    ['20.1.0.0/16', bolivia],
    ['20.2.0.0/16', antarctica],
  ]),
)
await writeFile(asn, mmdbOf([['20.1.0.0/16', { autonomous_system_number: 64500 }]], 'Test-ASN'))

const { db } = await testDatabase(t)
const { keys } = await testOrg(db, ['geo:read'])

async function list(name: string, lines: readonly string[]): Promise<string> {
  const path = join(folder, name)
  await writeFile(`${path}.new`, lines.join('\n'))
  await rename(`${path}.new`, path)
  return path
}

async function open(lists: FlagFiles) {
  const services = [provide(addresses, () => getGeoDatabase({ city, asn, lists }))]
  const { ask } = await testIngress(t, db, [], { only: ['geo'], services })
  return (request: string, body?: object) => ask(request, { key: keys.main, ...(body && { body }) })
}

const tor = await list('tor.txt', [
  '# source: Exits of a test',
  '# updated: 2026-11-01T00:00:00Z',
  '20.1.2.3',
  '2001:db9::7',
])
const hosting = await list('hosting.txt', [
  'AS64500 ; a provider',
  '203.0.114.0/24',
  '203.0.114.128/25',
  '2001:dba::/32',
])
const ask = await open({ tor, hosting })

t.test('an address has a flag for each list, with the source and age of the list', async (t) => {
  const { body } = await ask('GET /v1/geo/20.1.2.3')
  t.match(body, {
    country: { code: 'BO', currency: 'BOB', calling_code: '+591' },
    flags: { tor: true, hosting: true, vpn: null },
    lists: [
      { flag: 'tor', source: 'Exits of a test', updated_at: '2026-11-01T00:00:00.000Z', entries: 2 },
      { flag: 'hosting', source: 'hosting.txt', entries: 4 },
    ],
  })
  t.match((await ask('GET /v1/geo/20.2.0.1')).body, {
    country: { code: 'AQ', calling_code: null },
    flags: { tor: false, hosting: false, vpn: null },
  })
  const ips = [
    '203.0.113.255',
    '203.0.114.0',
    '203.0.114.255',
    '203.0.115.0',
    '2001:db9::7',
    '2001:db9::8',
    '2001:dba:ffff::',
    'x',
  ]
  const { body: batch } = await ask('POST /v1/geo/batch', { ips })
  t.same(
    batch.results.map(
      ({ flags }: { flags?: { tor: boolean; hosting: boolean } }) => flags && [flags.tor, flags.hosting],
    ),
    [
      [false, false],
      [false, true],
      [false, true],
      [false, false],
      [true, false],
      [false, false],
      [false, true],
      undefined,
    ],
  )
  t.match(batch.lists, [{ flag: 'tor' }, { flag: 'hosting' }])
})

t.test('a list that is replaced is read again, and a broken one does not replace it', async (t) => {
  const own = await list('own.txt', ['20.1.0.1'])
  const ask = await open({ vpn: own })
  const isVpn = async (ip: string) => (await ask(`GET /v1/geo/${ip}`)).body.flags.vpn
  t.equal(await isVpn('20.1.0.1'), true)
  await list('own.txt', ['20.1.0.2', 'not an address'])
  await until(async () => (await isVpn('20.1.0.2')) === true)
  t.equal(await isVpn('20.1.0.1'), false)
  await list('own.txt', ['<html>', 'an error page', '</html>'])
  await t.rejects(readAddressList(own), /0 of 3 lines/)
  t.equal(await isVpn('20.1.0.2'), true)
})

t.test('a list that cannot be read leaves its flag unknown, and lookups work', async (t) => {
  const ask = await open({ tor: join(folder, 'none.txt') })
  t.match(await ask('GET /v1/geo/20.1.2.3'), { status: 200, body: { flags: { tor: null }, lists: [] } })
})

t.test('a list with a network that is too wide, or too many lines, is rejected', async (t) => {
  await t.rejects(readAddressList(await list('wide.txt', ['0.0.0.0/0', '::/0', '20.1.0.0/16'])), /1 of 3 lines/)
  const lines = Array.from({ length: 250_001 }, (_, i) => `20.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
  await t.rejects(readAddressList(await list('long.txt', lines)), /more than 250000/)
  const most = await readAddressList(await list('long.txt', lines.slice(1)))
  t.equal(most.has('20.0.0.0', null), false)
  t.equal(most.has('20.3.208.144', null), true)
})
