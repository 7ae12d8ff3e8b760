import { bounded } from '../bounded.ts'
import { type DatabasePool, sql } from '../db.ts'
import * as claims from './claims.ts'
import * as entities from './entities.ts'

const words = (text: string) => sql.fragment`websearch_to_tsquery('simple', ${text})`

/** Entities of an organisation with the words of a search among their names, the newest first. Throws `TooBroad`. */
export async function findEntities(
  db: DatabasePool,
  orgId: string,
  query: string,
  limit: number,
): Promise<readonly entities.Entity[]> {
  return await bounded(db, (tx) =>
    tx.any(sql.type(entities.table.Row)`
      select ${entities.table.columns()} from wiki.entities
      where (jsonb_to_tsvector('simple', labels, '["string"]') || jsonb_to_tsvector('simple', aliases, '["string"]')) @@ ${words(query)}
        and org_id = ${orgId}
      order by id desc limit ${limit}`),
  )
}

/** Claims of an organisation with those words in their property or value, the newest first. Throws `TooBroad`. */
export async function findClaims(
  db: DatabasePool,
  orgId: string,
  query: string,
  limit: number,
): Promise<readonly claims.Claim[]> {
  return await bounded(db, (tx) =>
    tx.any(sql.type(claims.Claim)`
      select ${claims.columns} from wiki.claims as c
      where (to_tsvector('simple', replace(c.property, '_', ' ')) || jsonb_to_tsvector('simple', c.value, '["string"]')) @@ ${words(query)}
        and c.org_id = ${orgId}
      order by c.id desc limit ${limit}`),
  )
}
