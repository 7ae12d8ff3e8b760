import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import * as audit from '#sql/account/audit.ts'
import * as exports from '#sql/account/exports.ts'
import * as owned from '#sql/account/move/owned-rows.ts'
import { sql } from '#sql/db.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { exportAll } from '#tasks/account/export.ts'
import { requestClosure } from '#tasks/account/rules/closure.ts'
import { fetchExport, requestExport } from '#tasks/account/rules/export.ts'
import { findExportedTables } from '#tasks/account/rules/exported-tables.ts'
import { columnsNotExported, tablesNotExported } from '#tasks/account/rules/not-exported.ts'
import { sweepExports } from '#tasks/account/sweep-exports.ts'
import type { Tools } from '#tasks/pools.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { filler } from './every-table.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { db, store, databaseUrl } = stack
const all = await filler(databaseUrl)
t.teardown(all.end)
const plan = {
  pool: 'core' as const,
  settings: { concurrency: 4, fetchAhead: 0 },
  // Without the schedules, which delete rows that the filler has added.
  tasks: [exportAll, { ...sweepExports, cron: undefined }],
  tools: { storage: store.storage } as Tools['core'],
}
const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
t.teardown(() => fleet.stop())

const actor = { kind: 'user', id: 'u1', name: 'Ada' } as const
const request = (orgId: string) => db.transaction((tx) => requestExport(tx, { orgId, actor }))
const fetchIt = (orgId: string, id: string) =>
  db.transaction((tx) => fetchExport(tx, store.storage, { orgId, id, actor }))
const ended = (orgId: string, id: string) =>
  until(
    async () => {
      const found = await exports.find(db, orgId, id)
      return found?.state !== 'waiting' && found
    },
    { timeout: 30_000, what: 'the export ends' },
  )

t.test('an archive has every column of every table of organisations, but for those named with a reason', async (t) => {
  await db.query(sql.typeAlias('void')`alter table push.messages add column brand_new text not null default 'new'`)
  await db.query(sql.typeAlias('void')`
    create table push.brand_new (app_id uuid references push.apps (id) on delete cascade, word text)`)
  const catalogue = await owned.readCatalogue(db)
  const exported = findExportedTables(catalogue)
  t.ok(exported.get('push.messages')?.columns.includes('brand_new'), 'a new column is in it')
  t.same(exported.get('push.brand_new')?.columns, ['app_id', 'word'], 'and a new table')
  await db.query(sql.typeAlias('void')`drop table push.brand_new`)
  const everything = [...catalogue.relations.values()].flatMap(({ whole, columns }) => [
    whole,
    ...columns.map((column) => `${whole}.${column}`),
  ])
  const excluded = [...Object.keys(tablesNotExported), ...Object.keys(columnsNotExported)]
  t.same(
    excluded.filter((name) => !everything.includes(name)),
    [],
    'all that is excluded is there',
  )
})

t.test('no column of an archive has the name of a secret', async (t) => {
  const doubtful = /secret|hash|token|passw|passphrase|private|credential|(^|_)keys?$|storage|(^|_)leased|search|folded/
  const harmless =
    /^(account\.audit\.(previous_)?hash|files\.images\.blurhash|files\.bucket_scans\.key|(email\.topics|notify\.(workflow\w*|topics|throttles))\.key|\S+\.(digest_key|product_key|made_by_key|public_key|site_key|dedupe_key|collapse_key|concurrency_key|rate_key|template_key)|\S+\.\w*_tokens|\S+\.previous_token_until)$/
  const columns = [...findExportedTables(await owned.readCatalogue(db))].flatMap(([name, table]) =>
    table.columns.map((column) => `${name}.${column}`),
  )
  t.same(
    columns.filter((column) => doubtful.test(column.split('.')[2] ?? '') && !harmless.test(column)),
    [],
  )
})

t.test('an archive has every row of an organisation and none of another, and a link to each stored file', async (t) => {
  const [mine, other] = [(await testOrg(db)).org.id, (await testOrg(db)).org.id]
  const made = await all.fill(mine)
  await db.query(sql.typeAlias('void')`delete from account.exports where org_id = ${mine}`)
  const others = await all.fill(other)
  const asset = made.get('video.assets')?.id as string
  await store.storage.put(sourceKey(asset), Buffer.from('a film'), { contentType: 'video/mp4' })
  await db.query(sql.typeAlias('void')`
    insert into email.templates (id, org_id, name, subject, html, created_at, updated_at)
    select gen_random_uuid(), ${mine}, 'n' || n, '', '', now(), now() from generate_series(1, 1200) as n`)
  const { id } = await request(mine)
  await t.rejects(request(mine), { code: 'export_pending' })
  const ready = await ended(mine, id)
  t.match(ready, { state: 'ready', error: null })
  t.equal(await fetchIt(other, id), null)
  const url = (await fetchIt(mine, id)) as string
  const archive = await (await fetch(url)).bytes()
  t.equal(archive.length, ready.bytes)

  const folder = await mkdtemp(join(tmpdir(), 'millrace-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a.zip'), archive)
  await promisify(execFile)('python3', ['-m', 'zipfile', '-e', join(folder, 'a.zip'), folder])
  const lines = async (name: string) =>
    (await readFile(join(folder, name), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const exported = findExportedTables(await owned.readCatalogue(db))
  t.same((await readdir(join(folder, 'tables'))).sort(), [...exported.keys()].map((name) => `${name}.ndjson`).sort())
  for (const [name, { columns }] of exported) {
    const rows = await lines(`tables/${name}.ndjson`)
    t.same(Object.keys(rows[0]), columns, name)
    t.equal(rows.length, ready.counts[name], name)
    t.ok(rows.length > 0, name)
    const { id } = others.get(name) ?? {}
    t.notOk(id !== undefined && rows.some((row) => row.id === id), `${name} has nothing of another`)
  }
  t.equal(ready.counts['email.templates'], 1_201)
  const files = await lines('files.ndjson')
  t.match(files, [{ table: 'video.assets', id: asset, bytes: 6 }])
  const saved = await fetch(files[0].url)
  t.equal(await saved.text(), 'a film')
  t.match(saved.headers.get('content-disposition'), /^attachment/, 'no browser shows what it may have in it')
  t.equal(saved.headers.get('content-type'), 'application/octet-stream')
  t.equal(saved.headers.get('x-content-type-options'), 'nosniff')
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
  t.match(manifest, { format: 'millrace-export', version: 1, organisation: { id: mine }, counts: { files: 1 } })
  for (const secret of ['webhooks.endpoints', 'push.credentials'])
    t.notOk(
      (await readFile(join(folder, `tables/${secret}.ndjson`), 'utf8')).includes(String(made.get(secret)?.secret)),
    )
})

t.test('the audit log of an archive can be checked without us, also of an organisation that is closing', async (t) => {
  const { org } = await testOrg(db)
  for (let i = 0; i < 3; i++)
    await db.transaction((tx) =>
      audit.append(tx, { orgId: org.id, actor, action: 'key.created', after: { b: 1, a: 'ü' } }),
    )
  await db.transaction((tx) => requestClosure(tx, { orgId: org.id, actor }))
  const { id } = await request(org.id)
  t.equal((await ended(org.id, id)).state, 'ready')
  const folder = await mkdtemp(join(tmpdir(), 'millrace-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a.zip'), await (await fetch((await fetchIt(org.id, id)) as string)).bytes())
  await promisify(execFile)('python3', ['-m', 'zipfile', '-e', join(folder, 'a.zip'), folder])
  const checked = await commandLine(databaseUrl).ask(['audit', 'check', join(folder, 'tables/account.audit.ndjson')])
  t.match(checked, { first: 1, last: 5 })
})

t.test('an archive goes when its time is over', async (t) => {
  const { org } = await testOrg(db)
  const { id } = await request(org.id)
  await ended(org.id, id)
  t.equal((await store.list(`account/exports/${org.id}/`)).length, 1)
  await db.query(sql.typeAlias('void')`update account.exports set expires_at = now() where id = ${id}`)
  t.equal(await fetchIt(org.id, id), null)
  await enqueue(db, sweepExports, {})
  await until(async () => (await exports.find(db, org.id, id)) === null)
  t.same(await store.list(`account/exports/${org.id}/`), [])
})
