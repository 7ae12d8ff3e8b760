import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { find } from '#sql/knowledge/find.ts'
import { save } from '#sql/knowledge/sources.ts'
import { handbook, questions } from '../../ops/trials/bench/knowledge/handbooks.ts'

/** Keeps so many handbooks of an organisation; returns their ids. */
export async function keepHandbooks(
  db: DatabasePool,
  orgId: string,
  collectionId: string,
  count: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const id = newId()
    await save(db, { id, org_id: orgId, collection_id: collectionId, url: null, ...handbook(i) })
    ids.push(id)
  }
  return ids
}

/** The questions whose passage is not among the first `most`, each with what was found instead. */
export async function missed(db: DatabasePool, collectionId: string, ids: readonly string[], most: number) {
  const missing: { question: string; first: string[] }[] = []
  for (const { question, handbook: number, fact } of questions(ids.length)) {
    const found = await find(db, { collectionId, question, most })
    const isThere = found.some((one) => one.source_id === ids[number] && one.text.includes(fact))
    if (!isThere) missing.push({ question, first: found.map((one) => `${one.title}: ${one.text.slice(0, 100)}`) })
  }
  return missing
}
