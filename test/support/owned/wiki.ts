import { z } from 'zod'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'
import { wikiEvidence } from './wiki-evidence.ts'

export const wiki: Owned = (making) => {
  const { make, db } = making
  const evidence = wikiEvidence(making)
  let made: Promise<string> | undefined
  // Readers request the same article by its ID, like its authors.
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
    // Every key can read published articles.
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
