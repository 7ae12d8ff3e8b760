import { z } from 'zod'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'
import { wikiEvidence } from './wiki-evidence.ts'

/** What an organisation has in the area `wiki`. */
export const wiki: Owned = (making) => {
  const { make, db } = making
  const evidence = wikiEvidence(making)
  let made: Promise<string> | undefined
  // Its readers are asked for the same article, by its id, as its authors.
  const article = () => {
    made ??= make('POST /v1/wiki/articles', { title: 'An article', body: 'Its text.' }).then(async (id) => {
      await db.query(sql.typeAlias('void')`
        update wiki.articles set status = 'published', published_version = 1 where id = ${id}`)
      return id
    })
    return made
  }
  const version = async () =>
    await db.oneFirst(sql.type(z.object({ id: z.string() }))`
      select id from wiki.article_versions where article_id = ${await article()}`)
  return {
    // What is published is read by every key.
    anyones: ['wiki.readers.read'],
    made: {
      ...evidence.made,
      '/v1/wiki/articles': article,
      '/v1/wiki/admin/articles': article,
      '/v1/wiki/admin/articles/{id}/versions': version,
    },
    bodies: {
      ...evidence.bodies,
      'wiki.tree.put': { parent_id: null },
      'wiki.reviews.create': { decision: 'approved' },
      'wiki.transfer.create': { document: 'x' },
      'wiki.articles.update': { title: 'b', base_version: 1 },
    },
  }
}
