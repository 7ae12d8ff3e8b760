import { z } from 'zod'
import { type Db, sql } from '../db.ts'

const Row = z.object({ given: z.string(), word: z.string() })

/**
 * Returns the most similar known word for each word of a normalised text that no listed entry contains. Omits words
 * without a similar word.
 */
export async function findNearestWords(tx: Db, text: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.any(sql.type(Row)`
    select g.given, n.word from unnest(tsvector_to_array(to_tsvector('simple', ${text}))) as g (given) cross join lateral (
      select w.word from directory.words as w where w.word % g.given
      order by similarity(w.word, g.given) desc, w.word limit 1
    ) as n
    where g.given ~ '^[^0-9]{4,40}$' and not exists (select from directory.words as w where w.word = g.given)`)
  return new Map(rows.map(({ given, word }) => [given, word]))
}
