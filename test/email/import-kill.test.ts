import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { startProcess } from '../support/killed-process.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'

t.setTimeout(240_000)
const { db, databaseUrl, sender } = await sending(t)
const rows = 20_000
const worker = () => startProcess(t, new URL('./import-process.ts', import.meta.url), [databaseUrl])

t.test('workers that are killed in the middle of an import of suppressions import each row once', async (t) => {
  const one = await sender()
  const hook = { url: 'https://hooks.example.com/in', events: ['*'] }
  t.equal((await one.ask('POST /send/v1/webhooks', { body: hook })).status, 201)
  const lines = Array.from({ length: rows }, (_, n) => `p${n}@gone.example,bounce`)
  const raw = `email,reason\n${lines.join('\n')}\n`
  const { status, body } = await one.ask('POST /send/v1/suppressions/import', {
    raw,
    headers: { 'content-type': 'text/csv' },
  })
  t.equal(status, 202)
  const read = async () => (await one.ask(`GET /send/v1/imports/${body.id}`)).body
  const imported = (more: number) => until(async () => (await read()).imported > more, { every: 2, timeout: 60_000 })

  const first = await worker()
  await imported(0)
  await first()
  const second = await worker()
  await imported((await read()).imported + 1_000)
  await second()
  const before = await read()
  t.ok(before.status !== 'finished' && before.imported < rows, `killed twice, after ${before.imported} rows`)
  await worker()
  await until(async () => (await read()).status === 'finished', { timeout: 90_000 })
  t.match(await read(), { rows, imported: rows, existing: 0, invalid: 0 })
  const Counts = z.object({ suppressions: z.number(), results: z.number() })
  t.same(
    await db.one(sql.type(Counts)`
      select (select count(*) from email.suppressions where org_id = ${one.orgId}) as suppressions,
        (select count(*) from email.import_rows where import_id = ${body.id} and outcome = 'imported') as results`),
    { suppressions: rows, results: rows },
  )
  const Type = z.object({ type: z.string() })
  t.same(
    await db.anyFirst(sql.type(Type)`
      select type from webhooks.events where org_id = ${one.orgId} and type like '%import.finished'`),
    ['email.import.finished'],
  )
})
