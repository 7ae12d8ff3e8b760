import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { type Found, find, listFirst } from '../knowledge/find.ts'
import { save } from '../knowledge/sources.ts'
import type { Embedded } from '../knowledge/vectors.ts'

export interface PassageMatch extends Omit<Found, 'source_id'> {
  document_id: string
}

/** Maximum number of passages per question. Higher than the number that an engine gets with usual lengths. */
const most = 200

/** Number of passages that come before those of the previous message. */
const first = 20

interface Asked {
  question: string
  /** Previous message of the person, if the question refers to it. */
  previous?: string | undefined
  /** Maximum number of characters in total. */
  characters: number
  embedded?: Embedded | undefined
}

/**
 * Returns the best matching passages of a bot, best first, up to `characters` in total. If they have fewer characters,
 * other passages fill the rest.
 */
export async function findForQuestion(
  db: Db,
  botId: string,
  { question, previous, characters, embedded }: Asked,
): Promise<readonly PassageMatch[]> {
  const best = await find(db, { collectionId: botId, question, embedded, most })
  const taken = new Map<string, PassageMatch>()
  let left = characters
  const take = (found: readonly Found[]) => {
    for (const { source_id, ...passage } of found) {
      const key = `${source_id} ${passage.place}`
      if (taken.has(key)) continue
      left -= [...passage.text].length
      if (left < 0) return
      taken.set(key, { document_id: source_id, ...passage })
    }
  }
  if (previous !== undefined) {
    take(best.slice(0, first))
    take(await find(db, { collectionId: botId, question: `${question}\n${previous}`, most: first }))
  }
  take(best)
  // Reads twice as many characters, so that enough remain after removing passages that were already found.
  if (left > 0) take(await listFirst(db, botId, 2 * characters))
  return [...taken.values()]
}

const Missing = z.object({
  id: Id,
  org_id: Id,
  collection_id: Id,
  title: z.string(),
  url: z.string().nullable(),
  text: z.string(),
})

export async function createMissing(db: Db, limit: number, botId?: string): Promise<number> {
  const only = botId === undefined ? sql.fragment`` : sql.fragment`and d.bot_id = ${botId}`
  return await db.transaction(async (tx) => {
    const missing = await tx.any(sql.type(Missing)`
      select d.id, b.org_id, d.bot_id as collection_id, d.title, d.url, d.text
      from bots.documents as d join bots.bots as b on b.id = d.bot_id
      where not exists (select from knowledge.sources as s where s.id = d.id) ${only}
      limit ${limit} for no key update of d skip locked`)
    for (const document of missing) await save(tx, document)
    return missing.length
  })
}
