import '../support/moving-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { startProcess } from '../support/killed-process.ts'
import { until } from '../support/until.ts'
import { keys } from './providers.ts'
import { movingStack } from './stack.ts'

t.setTimeout(200_000)
const { db, databaseUrl, customer, source } = await movingStack(t, { worker: false })
const contacts = 3_000

t.test('workers that are killed while they read and while they write import each contact once', async (t) => {
  const one = await customer()
  source.resendList(
    '/contacts',
    Array.from({ length: contacts }, (_, n) => ({ id: `c${n}`, email: `p${n}@people.example`, unsubscribed: false })),
  )
  const { body } = await one.start({ provider: 'resend', api_key: keys.resend, parts: ['contacts'], dry_run: false })
  const worker = () => startProcess(t, new URL('./import-process.ts', import.meta.url), [databaseUrl])
  const passes = (field: string, more: number) =>
    until(async () => (await one.read(body.id))[field] > more, { every: 5, timeout: 60_000, what: field })
  const first = await worker()
  await passes('found', 0)
  await first()
  const second = await worker()
  await passes('imported', 0)
  await second()
  await worker()
  t.match(await one.reaches(body.id, 'finished'), { found: contacts, imported: contacts, existing: 0, invalid: 0 })
  const Counts = z.object({
    contacts: z.number(),
    events: z.number(),
    rows: z.number(),
    credential: z.string().nullable(),
  })
  t.same(
    await db.one(sql.type(Counts)`
      select (select count(*) from email.contacts where org_id = ${one.org.id}) as contacts,
        (select count(*) from email.contact_events where org_id = ${one.org.id}) as events,
        (select count(*) from moving.rows where import_id = ${body.id} and outcome = 'imported' and item is null) as rows,
        (select credential from moving.imports where id = ${body.id}) as credential`),
    { contacts, events: contacts, rows: contacts, credential: null },
  )
})
