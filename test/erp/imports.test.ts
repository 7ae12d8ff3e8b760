import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import { compact, readCode, readLei, readVatNumber } from '#tasks/erp/rules/codes.ts'
import { get, signIn } from '../console/fixture.ts'
import { testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'
import { startWorkers, storeKeys } from '../support/video-stack.ts'
import { erpStack } from './stack.ts'

const stack = await erpStack(t)
const { db, store, ask, names, imported } = stack
const folder = t.testdir({})
const write = async (name: string, text: string | Buffer) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
const read = async (code: string, jurisdiction: string) =>
  (await ask(`GET /v1/erp/companies/${code}?jurisdiction=${jurisdiction}`)).body
const count = (table: string) =>
  db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from ${sql.identifier(['erp', table])}`)
const many = (count: number, from = 0, word = 'Company') =>
  `code,name,jurisdiction\n${Array.from({ length: count }, (_, i) => `M${from + i},${word} ${from + i} Ltd,xd\n`).join('')}`

t.test('codes are checked by the digits that each register has for it', async (t) => {
  for (const code of ['12417834', '10422334', '11283219', '70000310']) t.equal(readCode('ee', code), code)
  t.equal(readCode('ee', '12417835'), null)
  t.same(
    ['445790', 'sc123456', '1234567890'].map((code) => readCode('gb', code)),
    ['00445790', 'SC123456', null],
  )
  t.same(
    ['2077474-0', '20774740', '2077474-1'].map((code) => readCode('fi', code)),
    ['2077474-0', '2077474-0', null],
  )
  t.same(
    ['40003521600', '40003521601', '01010112345'].map((code) => readCode('lv', code)),
    ['40003521600', null, null],
  )
  t.same(
    ['119511515', '119511516', '1234567'].map((code) => readCode('lt', code)),
    ['119511515', null, '1234567'],
  )
  t.same(['EE101074485', 'EE101074486'].map(readVatNumber), ['EE101074485', null])
  t.same(['GB 980 7806 84', 'GB980780685', 'XX12'].map(readVatNumber), ['GB980780684', null, 'XX12'])
  t.same(['5493001KJTIIGC8Y1R12', '5493001KJTIIGC8Y1R13', '1'].map(readLei), ['5493001KJTIIGC8Y1R12', null, null])
  t.equal(compact(' ee 10-10.74485'), 'EE101074485')
})

t.test('a worker that is killed amid an import leaves the old companies; the next one finishes', async (t) => {
  const first = await startWorkers(t, {
    databaseUrl: stack.databaseUrl,
    store,
    data: folder,
    pools: 'web',
    under: [],
    environment: {},
  })
  t.match(await imported(await write('old.csv', many(3_000, 0, 'Old')), 'generic', { register: 'many' }), {
    counts: { read: 3_000, added: 3_000 },
  })
  // The exchange waits for the register's row, so that the kill comes after everything is read, in that transaction.
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`select from erp.registers where name = 'many' for update`)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const id = await stack.start(await write('new.csv', many(5_000, 1_000, 'New')), 'generic', { register: 'many' })
  await until(async () => (await count('staging')) === 5_000, { what: 'all of it is read' })
  const blocked = sql.type(z.object({ n: z.number() }))`
    select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => (await db.oneFirst(blocked)) > 0, { what: 'the exchange has begun' })
  await first.kill()
  held.resolve()
  await holding
  t.equal((await names('old 2999'))[0], 'Old 2999 Ltd')
  t.same(await names('new 5999'), [])
  t.equal(await count('companies'), 3_000)
  await stack.startWorker()
  t.match(await stack.ended(id), {
    state: 'done',
    counts: { read: 5_000, added: 3_000, changed: 2_000, missing: 1_000 },
  })
  t.equal((await names('new 5999'))[0], 'New 5999 Ltd')
  t.match(await read('M0', 'xd'), { name: 'Old 0 Ltd', status: 'dissolved', missing_since: String })
  t.match(await read('M1000', 'xd'), { name: 'New 1000 Ltd', status: 'active', missing_since: null })
  t.equal(await count('staging'), 0)
  await until(async () => (await store.list('erp/')).length === 0, { what: 'the files are removed' })
})

t.test(
  'what is unchanged stays as it was; what comes back is missing no more; half of a register is not lost',
  async (t) => {
    await imported(await write('again.csv', many(5_000, 1_000, 'New')), 'generic', { register: 'many' })
    const back = await write('back.csv', `${many(5_000, 1_000, 'New')}M0,Old 0 Ltd,xd\n`)
    t.match(await imported(back, 'generic', { register: 'many' }), {
      counts: { read: 5_001, added: 0, changed: 1, missing: 0 },
    })
    t.match(await read('M0', 'xd'), { status: 'active', missing_since: null })
    const few = await write('few.csv', many(10))
    t.match(await imported(few, 'generic', { register: 'many' }), {
      state: 'failed',
      error: 'The file has 10 companies. The previous file had 5001. The current companies are kept.',
    })
    t.match(await imported(few, 'generic', { register: 'many', partial: true }), {
      counts: { changed: 10, missing: 0 },
    })
    t.match(await imported(few, 'generic', { register: 'many', anyway: true }), { counts: { missing: 5_000 } })
  },
)

t.test('files of Estonia, of the United Kingdom and of GLEIF are read, people and wrong codes left out', async (t) => {
  const ee = `nimi;ariregistri_kood;ettevotja_oiguslik_vorm;ettevotja_oigusliku_vormi_alaliik;kmkr_nr;ettevotja_staatus;ettevotja_staatus_tekstina;ettevotja_esmakande_kpv;ettevotja_aadress;asukoht_ettevotja_aadressis;asukoha_ehak_kood;asukoha_ehak_tekstina;indeks_ettevotja_aadressis;teabesysteemi_link
Näidis Õmblus OÜ;12417834;Osaühing;;EE101074485;R;Registrisse kantud;29.01.2013;;Tänav 1;0784;Kesklinna linnaosa, Tallinn, Harju maakond;10115;https://x
Pankrotis AS;10422334;Aktsiaselts;;;N;Pankrotis;01.01.1997;;Tee 2;0795;Tartu linn, Tartu maakond;50050;https://x
Mari Maasikas;11283219;Füüsilisest isikust ettevõtja;;;R;Registrisse kantud;01.01.2000;;;;;;
Vale Kood OÜ;12417835;Osaühing;;;R;Registrisse kantud;01.01.2000;;;;;;
`
  t.match(await imported(await write('ee.csv.gz', gzipSync(ee)), 'ee'), {
    counts: { read: 2, added: 2, left_out: 2 },
    faults: [{ line: 5, issue: 'invalid code of jurisdiction ee: 12417835' }],
  })
  t.match(await read('12417834', 'ee'), {
    name: 'Näidis Õmblus OÜ',
    status: 'active',
    vat_number: 'EE101074485',
    registered_at: '2013-01-29',
    registered_address: { city: 'Tallinn', region: 'Harju maakond', full: 'Tänav 1, 10115 Tallinn, Harju maakond, EE' },
    source: { record_url: 'https://ariregister.rik.ee/eng/company/12417834' },
  })
  const uk = `CompanyName, CompanyNumber,RegAddress.AddressLine1, RegAddress.AddressLine2,RegAddress.PostTown,RegAddress.PostCode,CompanyCategory,CompanyStatus,DissolutionDate,IncorporationDate,SICCode.SicText_1,PreviousName_1.CONDATE, PreviousName_1.CompanyName
"MADE UP, ""QUOTED"" LTD","445790","1 ROAD","","LEEDS","LS1 1AA","Private Limited Company","Active - Proposal to Strike off","","02/03/1999","62020 - Information technology consultancy activities","01/01/2005","EARLIER NAME LIMITED"
"WINDING LTD","SC123456","","","","","Private Limited Company","Liquidation","","","None Supplied","",""
`
  t.match(await imported(await write('uk.csv', uk), 'uk'), { counts: { read: 2, left_out: 0 }, faults: [] })
  t.match(await read('445790', 'gb'), {
    code: '00445790',
    status: 'active',
    registered_at: '1999-03-02',
    previous_names: ['EARLIER NAME LIMITED'],
    activities: [{ scheme: 'UK SIC 2007', code: '62020', name: 'Information technology consultancy activities' }],
  })
  t.match(await read('sc123456', 'gb'), { status: 'in_liquidation', activities: [] })
  const lei = (text: string) =>
    Array.from({ length: 100 }, (_, i) => `${text}${String(i).padStart(2, '0')}`).find(readLei)
  const [known, other] = [lei('5493000000000000XX'), lei('5493000000000000YY')]
  const gleif = `"LEI","Entity.LegalName","Entity.LegalAddress.City","Entity.LegalAddress.Country","Entity.LegalJurisdiction","Entity.EntityCategory","Entity.EntityStatus","Entity.RegistrationAuthority.RegistrationAuthorityEntityID","Entity.LegalForm.EntityLegalFormCode","Entity.EntityCreationDate"
"${known}","Naidis Omblus","Tallinn","EE","EE","GENERAL","ACTIVE","12417834","I9RZ","2013-01-29T00:00:00+02:00"
"${other}","Fund 1","Wilmington","US","US-DE","FUND","ACTIVE","","8888",""
"5493000000000000ZZ00","Wrong","","US","US-DE","GENERAL","ACTIVE","","",""
`
  t.match(await imported(await write('gleif.csv', gleif), 'gleif'), {
    counts: { read: 2, added: 1, changed: 1, left_out: 1 },
  })
  t.match(await read('12417834', 'ee'), { name: 'Näidis Õmblus OÜ', lei: known, source: { register: /Estonian/ } })
  t.match(await read(other as string, 'us-de'), { name: 'Fund 1', lei: other, legal_form: { elf_code: null } })
  await imported(await write('ee2.csv', ee), 'ee')
  t.match(await read('12417834', 'ee'), { lei: known }, 'its own register leaves what GLEIF has added')
})

t.test('a file that cannot be read is refused with a sentence, and nothing of it stays', async (t) => {
  const before = await count('companies')
  const files: [string | Buffer, RegExp][] = [
    ['', /empty/],
    ['nimi;kood\n1;2\n', /does not contain code, name/],
    ['code,name\n', /no valid company/],
    ['code,name,jurisdiction\n,,\nX,,xd\n', /Line 2: invalid jurisdiction|Line 2: invalid code/],
    ['code,name,jurisdiction\nZ1,"never closed,xd\n', /not valid CSV/],
    [Buffer.from('code,name,jurisdiction\nZ2,\xd5un,xd\n', 'latin1'), /not UTF-8 text/],
    [Buffer.from('PK\u0003\u0004….'), /zip archive/],
    [gzipSync(many(100)).subarray(0, 100), /gzip/],
  ]
  for (const [text, why] of files) {
    const one = await imported(await write('bad.csv', text), 'generic', { register: 'bad' })
    t.match(one, { state: 'failed', error: why, counts: null })
  }
  t.equal(await count('companies'), before)
})

t.test('the command imports and says what came of it; the console shows registers and imports', async (t) => {
  const { run } = commandLine(stack.databaseUrl)
  const storage = {
    S3_ENDPOINT: store.url,
    S3_BUCKET: storeKeys.bucket,
    S3_ACCESS_KEY: storeKeys.accessKey,
    S3_SECRET_KEY: storeKeys.secretKey,
  }
  const file = await write('cli.csv', 'code;name\nC1;<b>Bold OÜ\nC 2;Two AS\n')
  const [done, wrong] = await Promise.all([
    run(['import', 'erp', file, ...'--profile generic --register <hand> --jurisdiction xe'.split(' ')], storage),
    run(['import', 'erp', `${file}.no`, ...'--profile fr --jurisdiction estonia'.split(' ')], storage),
  ])
  t.match(done, { code: 0, out: /<hand>: 2 companies, 2 added, 0 changed, 0 missing; 0 records and 0 values skipped/ })
  t.match(wrong, {
    code: 2,
    err: /file: .*not a readable file.*\n--profile: ee, ee-general, uk, gleif, generic, ee-officers, gleif-relations, gleif-exceptions\n--jurisdiction: must be a country/,
  })
  const { org, keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url: stack.ingress.url, key: keys.main, orgId: org.id })
  const page = await get(stack.ingress.url, '/ops/companies', cookie)
  t.match(page.text, /data-key="register-&lt;hand&gt;"/)
  t.match(page.text, /cli\.csv/)
  t.match(page.text, /The zip archive/)
  t.match(page.text, /invalid VAT number|invalid LEI|invalid code of jurisdiction/)
  t.equal((await imports.latest(db, 1))[0]?.register, '<hand>')
})
