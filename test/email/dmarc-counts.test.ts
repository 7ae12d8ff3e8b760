import pg from 'pg'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as dmarc from '#sql/email/dmarc.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'

const { db, url } = await testDatabase(t)
const { org } = await testOrg(db)
const client = new pg.Client({ connectionString: url })
await client.connect()
t.teardown(() => client.end())

const domainId = newId()
const span = { domainId, since: '2026-03-05', until: '2026-03-20' }

const sums = `
  coalesce(sum(r.count), 0)::float8 as messages,
  coalesce(sum(r.count) filter (where r.dkim_aligned or r.spf_aligned), 0)::float8 as aligned,
  coalesce(sum(r.count) filter (where r.dkim_aligned), 0)::float8 as dkim_aligned,
  coalesce(sum(r.count) filter (where r.spf_aligned), 0)::float8 as spf_aligned,
  coalesce(sum(r.count) filter (where r.disposition = 'quarantine'), 0)::float8 as quarantined,
  coalesce(sum(r.count) filter (where r.disposition = 'reject'), 0)::float8 as rejected`

async function countPlainly(key: string, counted: string) {
  const { rows } = await client.query(
    `select ${key}, ${counted}, ${sums} from email.dmarc_rows as r join email.dmarc_reports as p on p.id = r.report_id
     where r.domain_id = $1 and r.day between $2 and $3 group by ${key} order by messages desc, ${key}`,
    [domainId, span.since, span.until],
  )
  return rows
}

t.before(async () => {
  await client.query('alter table email.dmarc_reports drop constraint dmarc_reports_domain_id_fkey')
  await client.query(
    `insert into email.dmarc_reports (id, org_id, domain_id, reporter, report_id, sender, begins_at, ends_at, policy_domain,
       messages, aligned, sources)
     select gen_random_uuid(), $1, $2, 'reporter-' || i % 7, i, 'a@b.example', '2026-03-01'::date + i % 25, '2026-03-30',
       'shop.example', 1, 1, 1 from generate_series(1, 90) as i`,
    [org.id, domainId],
  )
  await client.query(
    `insert into email.dmarc_rows (id, org_id, domain_id, report_id, day, source_ip, count, disposition, dkim_aligned, spf_aligned)
     select gen_random_uuid(), $1, $2, p.id, p.begins_at::date, '192.0.2.' || (i * p.report_id::integer) % 23,
       i * p.report_id::integer % 11, (array['none', 'quarantine', 'reject'])[1 + i % 3], i % 2 = 0, i % 5 = 0
     from email.dmarc_reports as p, generate_series(1, 12) as i`,
    [org.id, domainId],
  )
})

t.test('sources and reporters of DMARC reports equal the count of all records', async (t) => {
  const sources = await dmarc.countBySource(db, span, 200)
  t.ok(sources.length > 10)
  t.same(sources, await countPlainly('r.source_ip', 'count(distinct p.reporter)::integer as reporters'))
  const reporters = await dmarc.countByReporter(db, span, 100)
  t.equal(reporters.length, 7)
  t.same(reporters, await countPlainly('p.reporter', 'count(distinct p.id)::integer as reports'))
})
