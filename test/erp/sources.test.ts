import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as sources from '#sql/erp/sources.ts'
import { refreshSources } from '#tasks/erp/refresh.ts'
import { confirmImport } from '#tasks/erp/rules/source-controls.ts'
import { listUrls } from '#tasks/erp/rules/source-url.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { get, post, signIn, tokenOf } from '../console/fixture.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { startWorkers } from '../support/video-stack.ts'
import { zipped } from '../support/zip.ts'
import { eeGeneral, eeOfficers, gleifCsv, gleifJson, lei, ukHeader, ukLine } from './published.ts'
import { startKeeper } from './sources-web.ts'
import { erpStack } from './stack.ts'

const stack = await erpStack(t)
const { db, ask, put, fetched } = stack
const keeper = await startKeeper(t)
const at = (path: string) => `${keeper.url}/${path}`
const count = (table: string) =>
  db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from ${sql.identifier(['erp', table])}`)
const read = async (code: string, jurisdiction: string) =>
  (await ask(`GET /v1/erp/companies/${code}?jurisdiction=${jurisdiction}`)).body
const csv = (codes: readonly number[], word = 'Company') =>
  `code,name,jurisdiction\n${codes.map((i) => `S${i},${word} ${i} Ltd,xs\n`).join('')}`
/** The scratch of workers, and what was fetched into it and is still there. */
const data = t.testdir()
const left = async () =>
  (await readdir(join(data, 'web-scratch/attempts'), { recursive: true })).filter((path) => path.endsWith('/file'))
const upTo = (most: number, from = 0) => Array.from({ length: most - from }, (_, i) => from + i)
const events = () =>
  db.any(sql.type(z.object({ data: z.record(z.string(), z.unknown()) }))`
    select data from webhooks.events where org_id = ${stack.orgId} and type = 'erp.register.changed' order by id`)

t.test('a worker that is killed amid a download leaves nothing; the next one begins again', async (t) => {
  let asked = 0
  keeper.at['killed.csv'] = (_, res) => {
    asked++
    if (asked === 1) res.write(csv(upTo(1_050, 1_000)))
    else res.end(csv(upTo(1_100, 1_000)))
  }
  const workers = await startWorkers(t, {
    databaseUrl: stack.databaseUrl,
    store: stack.store,
    data,
    pools: 'web',
    under: [],
    environment: keeper.environment,
  })
  await put('killed', { url: at('killed.csv') })
  const over = fetched('killed')
  await until(async () => asked === 1 && (await left()).length === 1, { what: 'half of it is there' })
  await workers.kill()
  t.equal(await count('imports'), 0)
  t.equal((await left()).length, 1, 'the half stays')
  await stack.startWorker({ outbound: keeper.outbound, data })
  t.match(await over, { source: { failures: 0 }, last: { state: 'done', counts: { read: 100 } } })
  t.equal(asked, 2)
  t.equal(await count('imports'), 1)
  t.same(await left(), [], 'the half went with the one that came')
})

t.test('a source is fetched when it is due, and asked for by its tag: what is the same is read no more', async (t) => {
  await ask('PUT /v1/account/events/settings', { body: { keep_events: true } })
  keeper.at['due.csv'] = csv(upTo(10))
  const { id } = await put('due', { url: at('due.csv') })
  await db.query(sql.typeAlias('void')`update erp.sources set next_at = now() where id = ${id}`)
  await db.transaction((tx) => enqueue(tx, refreshSources, {}))
  const first = await until(
    async () => {
      const found = await sources.find(db, id)
      return found?.etag ? found : false
    },
    { what: 'it is fetched and imported' },
  )
  t.ok(first.next_at.getTime() > Date.now() + 80_000_000, 'its next turn is an interval on')
  t.match(await fetched('due'), { source: { import_id: first.import_id, failures: 0 } })
  t.equal(keeper.seen.at(-1)?.headers['if-none-match'], first.etag)
  await db.query(sql.typeAlias('void')`update erp.sources set etag = 'another', last_modified = null where id = ${id}`)
  t.match(await fetched('due'), { source: { import_id: first.import_id, etag: first.etag } }, 'by its hash, too')
  await until(async () => (await events()).length >= 1, { what: 'its first import is told of' })
  t.match(await events(), [{ data: { register: 'due', first: true, entries: 10, added: 10, changes: [] } }])
})

t.test('what a file changes is told in one event, and listed by its import', async (t) => {
  keeper.at['due.csv'] = csv([...upTo(9), 11]).replace('Company 3', 'Another 3')
  const { last } = await fetched('due')
  t.match(last, { state: 'done', counts: { added: 1, changed: 1, missing: 1 } })
  await until(async () => (await events()).length === 2, { what: 'it is told of' })
  t.match((await events())[1]?.data, { first: false, added: 1, changed: 1, removed: 1, import_id: last?.id })
  const listed = await ask(`GET /v1/erp/imports/${last?.id}/changes?limit=2`)
  const rest = await ask(`GET /v1/erp/imports/${last?.id}/changes?limit=2&cursor=${listed.body.next_cursor}`)
  const all = [...listed.body.data, ...rest.body.data]
  t.same(all.map(({ kind, code }) => `${kind} ${code}`).sort(), ['added S11', 'changed S3', 'removed S9'])
  t.match(
    all.find(({ code }) => code === 'S3'),
    { name: 'Another 3 Ltd', jurisdiction: 'xs' },
  )
  t.equal(rest.body.next_cursor, null)
  t.match((await ask('GET /v1/erp/registers')).body.data, [{ name: 'due', import_id: last?.id, entries: 10 }, {}])
  t.equal((await ask(`GET /v1/erp/imports/${crypto.randomUUID()}/changes`)).status, 404)
})

t.test('a file with a tenth of what was there is held, until an operator takes or refuses it', async (t) => {
  const { org, keys } = await testOrg(db, ['operator'])
  const url = stack.ingress.url
  const cookie = await signIn({ db, url, key: keys.main, orgId: org.id })
  const decide = async (action: string, fields: Record<string, string>) => {
    const page = await get(url, `/ops/confirm/${action}?${new URLSearchParams(fields)}`, cookie)
    t.equal(page.status, 200, action)
    return await post(
      url,
      `/ops/confirm/${action}`,
      { ...fields, token: tokenOf(page), back: '/ops/companies' },
      { cookie },
    )
  }
  await put('shrinking', { url: at('shrinking.csv'), options: { partial: false, anyway: false, least_percent: 90 } })
  keeper.at['shrinking.csv'] = csv(upTo(200, 100))
  t.match(await fetched('shrinking'), { last: { state: 'done' } })
  keeper.at['shrinking.csv'] = csv(upTo(188, 100))
  const held = await fetched('shrinking')
  t.match(held.last, {
    state: 'held',
    error: 'The file has 88 companies. The previous file had 100. The current companies are kept.',
  })
  t.equal((await read('S199', 'xs')).missing_since, null)
  t.match(await fetched('shrinking'), { last: { id: held.last?.id, state: 'held' } }, 'the same is not asked for again')
  const console_ = await get(url, '/ops/companies', cookie)
  t.match(console_.text, /data-key="source-shrinking"/)
  t.match(console_.text, /The file has 88 companies/)
  await decide('refuse-import', { import: held.last?.id ?? '' })
  t.match(await imports.find(db, held.last?.id ?? ''), { state: 'failed', error: /rejected the file/ })
  keeper.at['shrinking.csv'] = csv(upTo(110, 100))
  const again = await fetched('shrinking')
  t.match(again.last, { state: 'held' })
  await decide('confirm-import', { import: again.last?.id ?? '' })
  t.match(await stack.ended(again.last?.id ?? ''), { state: 'done', counts: { read: 10, missing: 90 } })
  t.match(await read('S199', 'xs'), { status: 'dissolved', missing_since: String })
  t.equal((await get(url, `/ops/confirm/confirm-import?import=${again.last?.id}`, cookie)).status, 404)
  await decide('pause-source', { source: 'shrinking' })
  t.match(await sources.findByName(db, 'shrinking'), { paused: true })
})

t.test('a source that is told otherwise while its file is under way has it read again as it is told now', async (t) => {
  const told = (column: string, least_percent = 50) => ({
    url: at('told.csv'),
    options: {
      partial: false,
      anyway: false,
      least_percent,
      mapping: { code: 'code', name: column, jurisdiction: '=xt' },
    },
  })
  const answers: ((text: string) => void)[] = []
  keeper.at['told.csv'] = (_, res) => answers.push((text) => res.end(text))
  await put('told', told('wrong'))
  const over = fetched('told')
  await until(() => answers.length === 1, { what: 'it is being fetched' })
  await put('told', told('right'))
  answers[0]?.('code,wrong,right\nT1,Wrong,Right\nT2,Wrong,Right\n')
  t.match(await over, { last: null, source: { sha256: null, failures: 0 } }, 'what was fetched before is left')
  keeper.at['told.csv'] = 'code,wrong,right\nT1,Wrong,Right\nT2,Wrong,Right\n'
  t.match(await fetched('told'), { last: { state: 'done' }, source: { etag: String } })
  t.match(await read('T1', 'xt'), { name: 'Right' })

  keeper.at['told.csv'] = 'code,wrong,right\nT1,Wrong,Right anew\n'
  await put('told', told('wrong', 90))
  const { last } = await fetched('told')
  t.match(last, { state: 'held' })
  await put('told', told('right'))
  t.ok(await confirmImport(db, last?.id ?? '', 'a test'))
  t.match(await stack.ended(last?.id ?? ''), { state: 'done' })
  t.match(await read('T1', 'xt'), { name: 'Wrong' })
  t.match(await fetched('told'), { last: { state: 'done' }, source: { etag: String } })
  t.match(await read('T1', 'xt'), { name: 'Right anew' })
})

t.test('two sources are busy at a time; others that are due wait for their turn', async (t) => {
  const answers: (() => void)[] = []
  for (const name of ['turn-1', 'turn-2', 'turn-3']) {
    keeper.at[`${name}.csv`] = (_, res) => answers.push(() => res.end(csv([1])))
    await put(name, { url: at(`${name}.csv`) })
  }
  await db.query(sql.typeAlias('void')`
    update erp.sources set next_at = now() - interval '9 seconds' + right(name, 1)::integer * interval '1 second'
    where name like 'turn-_'`)
  await db.transaction((tx) => enqueue(tx, refreshSources, {}))
  await until(() => answers.length === 2, { what: 'two are being fetched' })
  const take = () => db.transaction((tx) => sources.takeDue(tx, 2))
  t.same(await take(), [])
  const third = (await sources.findByName(db, 'turn-3'))?.id
  for (const answer of answers) answer()
  await until(async () => (await take()).includes(third ?? ''), { what: 'the third has its turn' })
})

t.test('the files of Companies House and of GLEIF are read as they are published', async (t) => {
  const uk = `${ukHeader}\n${ukLine('MADE UP, "QUOTED" LTD', '00445790')}\n${ukLine('WINDING LTD', 'SC123456', 'Liquidation')}\n`
  keeper.at['BasicCompanyDataAsOneFile.zip'] = zipped([{ name: 'BasicCompanyDataAsOneFile-2026-01-01.csv', bytes: uk }])
  await put('uk', { profile: 'uk', register: 'Companies House', url: at('BasicCompanyDataAsOneFile.zip') })
  t.match(await fetched('uk'), { last: { state: 'done', counts: { read: 2, left_out: 0 }, faults: [] } })
  t.match(await read('00445790', 'gb'), { name: 'MADE UP, "QUOTED" LTD', registered_address: { city: 'LEEDS' } })
  t.same(listUrls('https://x.example/a-{month}-01.zip', new Date('2026-01-03T00:00:00Z')), [
    'https://x.example/a-2026-01-01.zip',
    'https://x.example/a-2025-12-01.zip',
  ])
  const companies = [{ lei: lei('5493000000000000XX'), name: 'Société [Une], {Deux}', code: '552100554' }]
  await put('gleif', { profile: 'gleif', register: 'GLEIF', url: at('lei2') })
  for (const [name, text] of [
    ['lei2.csv', gleifCsv(companies)],
    ['lei2.json', gleifJson([...companies, { lei: lei('5493000000000000YY'), name: 'Deux', code: '552100555' }])],
  ] as const) {
    keeper.at.lei2 = (_, res) => res.writeHead(302, { location: `/${name}.zip` }).end()
    keeper.at[`${name}.zip`] = zipped([{ name: `20260101-gleif-goldencopy-${name}`, bytes: text }])
    t.match(await fetched('gleif'), { last: { state: 'done', file_name: `${name}.zip`, counts: { left_out: 0 } } })
    t.match(await read('552100554', 'fr'), {
      name: 'Société [Une], {Deux}',
      previous_names: ['Ancien Nom'],
      registered_at: '2001-02-03',
      registered_address: { city: 'Paris', street: '1 Rue' },
      legal_form: { elf_code: '6CHY' },
    })
  }
  t.match(await read('552100555', 'fr'), { name: 'Deux' })
})

t.test('the files of Estonia are read as they are published, with those who act for companies', async (t) => {
  t.match((await ask('GET /v1/erp/companies/445790/officers')).body, { data: [], known: false })
  keeper.at['yldandmed.json.zip'] = zipped([{ name: 'ettevotja_rekvisiidid__yldandmed.json', bytes: eeGeneral }])
  await put('ee', { profile: 'ee-general', register: 'Estonian e-Business Register', url: at('yldandmed.json.zip') })
  t.match(await fetched('ee'), { last: { counts: { read: 1, left_out: 1 }, faults: [] } })
  t.match(await read('12417834', 'ee'), {
    name: 'Näidis "Õmblus" OÜ',
    previous_names: ['Endine [nimi] OÜ'],
    capital: { amount: 2500, currency: 'EUR' },
    activities: [{ scheme: 'NACE', code: '14.13', primary: true }],
    registered_address: { full: 'Tänav 1, 10115 Tallinn, Harju maakond, EE' },
    website: 'https://naidis.example/',
  })
  const pack = (text: string) => zipped([{ name: 'kaardile_kantud_isikud.json', bytes: text }])
  keeper.at['isikud.zip'] = pack(eeOfficers())
  await put('ee-officers', { profile: 'ee-officers', register: 'Officers', url: at('isikud.zip') })
  t.match(await fetched('ee-officers'), {
    last: { counts: { read: 2, added: 2, left_out: 1 }, faults: [{ line: 2, issue: /invalid code.*12417835/ }] },
  })
  const { body, text } = await ask('GET /v1/erp/companies/12417834/officers')
  t.match(body, {
    known: true,
    data: [
      { kind: 'person', name: 'Mari Mägi', role: 'Juhatuse liige', since: '2014-02-01', until: null },
      { kind: 'organisation', name: 'Haldus OÜ', role_code: 'PROK', since: '2020-03-04', until: '2030-01-01' },
    ],
  })
  t.notMatch(text, /mari@naidis/)
  keeper.at['isikud.zip'] = pack(eeOfficers('Juhatuse esimees'))
  const { last } = await fetched('ee-officers')
  t.match(last, { counts: { read: 2, added: 1, missing: 1 } })
  t.match((await ask(`GET /v1/erp/imports/${last?.id}/changes`)).body, { added: 1, changed: 0, removed: 1, data: [] })
  t.equal(await count('officers'), 2)
  t.match(await put('mixed', { register: 'Officers', url: at('due.csv') }).then(() => fetched('mixed')), {
    last: { state: 'failed', error: /contains officers, but the file contains companies/ },
    source: { failures: 1 },
  })
})

t.test('any JSON or CSV is read by what its names are mapped to', async (t) => {
  const mapping = { code: 'reg.no', name: 'title', jurisdiction: '=xm', status: 'state', city: 'seat.1.town' }
  const options = { partial: false, anyway: false, mapping, statuses: { radiée: 'dissolved' as const } }
  const one = (no: string, state = 'active') => ({
    reg: { no },
    title: `Mapped ${no}`,
    state,
    seat: [{ town: 'Metz' }],
  })
  const shapes: [string, string | Buffer, string | undefined][] = [
    ['list.json', JSON.stringify([one('1'), one('2', 'Radiée'), 'no record']), undefined],
    [
      'deep.json',
      JSON.stringify({ note: '"data":[', data: { items: [one('1'), one('2', 'Radiée'), 3] } }),
      'data.items',
    ],
    [
      'lines.jsonl.gz',
      gzipSync(`${JSON.stringify(one('1'))}\n${JSON.stringify(one('2', 'Radiée'))}\n{"reg": {"no": ""}}\n`),
      undefined,
    ],
  ]
  const ending = { zip64: true, comment: `PK\x05\x06${'\0'.repeat(40)}` }
  shapes.push(['large.zip', zipped([{ name: 'a.json', bytes: String(shapes[0]?.[1]) }], ending), undefined])
  for (const [path, bytes, records] of shapes) {
    keeper.at[path] = bytes
    await put('mapped', { url: at(path), options: { ...options, ...(records && { records }) } })
    t.match(await fetched('mapped'), { last: { state: 'done', counts: { read: 2, left_out: 1 } } }, path)
    t.match(await read('2', 'xm'), { name: 'Mapped 2', status: 'dissolved', registered_address: { city: 'Metz' } })
  }
  keeper.at['columns.tsv'] = 'No\tFirma\n7\tSieben GmbH\n'
  await put('columns', {
    url: at('columns.tsv'),
    options: { ...options, mapping: { code: 'No', name: 'Firma', jurisdiction: '=xm' } },
  })
  t.match(await fetched('columns'), { last: { counts: { read: 1 } } })
  t.match(await read('7', 'xm'), { name: 'Sieben GmbH', status: 'active' })
})
