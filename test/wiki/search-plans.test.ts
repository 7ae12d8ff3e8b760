import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { claimWords, entityWords } from '#sql/wiki/find-words.ts'
import { testDatabase } from '../support/database.ts'

t.test('the search is planned for the words that are asked for, not once for all', async (t) => {
  const { db } = await testDatabase(t)
  const settings = await db.any(sql.type(z.object({ name: z.string(), settings: z.string() }))`
    select proname as name, array_to_string(proconfig, ' ') as settings from pg_proc
    where pronamespace = 'wiki'::regnamespace and proretset and 'tsquery'::regtype = any (proargtypes) order by proname`)
  t.strictSame(
    settings.map(({ name }) => name),
    ['newest_beginning', 'newest_matching'],
  )
  for (const { name, settings: given } of settings) t.match(given, 'plan_cache_mode=force_custom_plan', name)
})

t.test('entities and claims are looked up by their words in indexes that have the same', async (t) => {
  const { db } = await testDatabase(t)
  const plans = await db.transaction(async (tx) => {
    await tx.query(sql.unsafe`set local enable_seqscan = off`)
    return [
      await tx.anyFirst(sql.unsafe`explain select id from wiki.entities where ${entityWords} @@ 'a'::tsquery`),
      await tx.anyFirst(sql.unsafe`explain select id from wiki.claims where ${claimWords} @@ 'a'::tsquery`),
    ]
  })
  for (const [i, index] of ['entities_words_of', 'claims_words_of'].entries())
    t.match(plans[i]?.join('\n'), `Bitmap Index Scan on ${index}`)
})
