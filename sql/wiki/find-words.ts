import type { FragmentSqlToken } from 'slonik'
import { runBounded } from '../bounded.ts'
import { type DatabasePool, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { getColumns } from '../table.ts'
import * as claims from './claims.ts'
import * as entities from './entities.ts'

/** Removes accents from a text. JSON stays valid. */
const plain = (text: FragmentSqlToken) =>
  sql.fragment`normalize(regexp_replace(normalize(${text}, nfd), '[\\u0300-\\u036f]', '', 'g'), nfc)`

const wordsIn = (column: FragmentSqlToken) =>
  sql.fragment`jsonb_to_tsvector('simple', ${plain(sql.fragment`${column}::text`)}::jsonb, '["string"]')`

const owner = sql.fragment`array_to_tsvector(array[' org:' || org_id::text])`

export const entityWords = sql.fragment`(${owner} || ${wordsIn(sql.fragment`labels`)} || ${wordsIn(sql.fragment`aliases`)})`

export const claimWords = sql.fragment`(${owner} || to_tsvector('simple', replace(property, '_', ' ')) || ${wordsIn(sql.fragment`value`)})`

/**
 * Returns the newest matching rows of an organisation. Finds all matches in the index first, because a scan from the
 * newest row would parse each row.
 */
const matching = (
  table: FragmentSqlToken,
  words: FragmentSqlToken,
  orgId: string,
  query: string,
  { before, limit }: Part,
) => {
  const asked = sql.fragment`websearch_to_tsquery('simple', ${plain(sql.fragment`${query}::text`)})`
  const mine = `' org:${orgId}'`
  return sql.fragment`
    with found as materialized (
      select id from ${table} where ${words} @@ (${mine}::tsquery && ${asked}) and org_id = ${orgId} and numnode(${asked}) > 0
    )
    select id from found where (${before ?? null}::uuid is null or id < ${before ?? null}) order by id desc limit ${limit}`
}

/** Returns entities of an organisation that match a search by name, newest first. Throws `TooBroadError`. */
export async function findEntities(
  db: DatabasePool,
  orgId: string,
  query: string,
  part: Part,
): Promise<readonly entities.EntitySummary[]> {
  return await runBounded(db, (tx) =>
    tx.any(sql.type(entities.EntitySummary)`
      select ${getColumns(entities.EntitySummary)} from wiki.entities
      where id in (${matching(entities.table.name, entityWords, orgId, query, part)}) order by id desc`),
  )
}

/** Returns claims of an organisation that match a search by property or value, newest first. Throws `TooBroadError`. */
export async function findClaims(
  db: DatabasePool,
  orgId: string,
  query: string,
  part: Part,
): Promise<readonly claims.Claim[]> {
  return await runBounded(db, (tx) =>
    tx.any(sql.type(claims.Claim)`
      select ${claims.columns} from wiki.claims as c
      where c.id in (${matching(claims.table.name, claimWords, orgId, query, part)}) order by c.id desc`),
  )
}
