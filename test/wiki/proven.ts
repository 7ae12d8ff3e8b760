import { createHash } from 'node:crypto'
import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'
import { normaliseText } from '#tasks/wiki/rules/normal-text.ts'

/** Deviations of a claim from a proven one. */
interface Flaw {
  snapshot?: 'pending' | 'failed'
  quote?: string
  /** True if it was verified with the first rules. */
  rules?: 'first'
}

const page = 'The bridge was opened to traffic on 19 March 1932.'

/** Adds a claim with a source, a captured snapshot and a reference to an article. Returns the claim's ID. */
export async function proveBy(db: Db, orgId: string, articleId: string, flaw: Flaw = {}): Promise<string> {
  const [source, snapshot, entity, claim] = [newId(), newId(), newId(), newId()]
  const url = `https://archive.example/${source}`
  const status = flaw.snapshot ?? 'ok'
  const hash = status === 'ok' ? createHash('sha256').update(page).digest('hex') : null
  const quote = flaw.quote ?? 'opened to traffic on 19 March 1932'
  await db.query(sql.typeAlias('void')`
    with source as (
      insert into wiki.sources (id, org_id, uri, canonical_url, title) values (${source}, ${orgId}, ${url}, ${url}, 'Harbour Record')
    ), snapshot as (
      insert into wiki.snapshots (id, org_id, source_id, status, sha256, text, text_sha256, normal_text, reading, error_code, captured_at)
      values (${snapshot}, ${orgId}, ${source}, ${status}, ${hash}, ${hash && page}, ${hash}, ${hash && normaliseText(page)}, ${flaw.rules ? null : 1},
        ${status === 'failed' ? 'gone' : null}, ${status === 'pending' ? null : new Date().toISOString()})
    ), entity as (
      insert into wiki.entities (id, org_id, type, labels) values (${entity}, ${orgId}, 'place', '{"en":"The bridge"}')
    ), claim as (
      insert into wiki.claims (id, org_id, entity_id, property, value)
      values (${claim}, ${orgId}, ${entity}, 'opened', '{"type":"time","content":"1932-03-19"}')
    ), reference as (
      insert into wiki.claim_references (id, claim_id, source_id, snapshot_id, quote, normal_quote, names_value, quote_verified)
      values (${newId()}, ${claim}, ${source}, ${snapshot}, ${quote}, ${normaliseText(quote)}, ${flaw.rules ? null : true}, ${status === 'ok' && page.includes(quote)})
    )
    insert into wiki.claim_articles (article_id, claim_id) values (${articleId}, ${claim})`)
  return claim
}
