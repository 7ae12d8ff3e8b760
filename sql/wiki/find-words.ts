import type { FragmentSqlToken } from 'slonik'
import { bounded } from '../bounded.ts'
import { type DatabasePool, sql } from '../db.ts'
import { columnsOf } from '../table.ts'
import * as claims from './claims.ts'
import * as entities from './entities.ts'

/** A text without accents; what it is made of stays JSON where it was. */
const plain = (text: FragmentSqlToken) =>
  sql.fragment`normalize(regexp_replace(normalize(${text}, nfd), '[\\u0300-\\u036f]', '', 'g'), nfc)`

const wordsIn = (column: FragmentSqlToken) =>
  sql.fragment`jsonb_to_tsvector('simple', ${plain(sql.fragment`${column}::text`)}::jsonb, '["string"]')`

const owner = sql.fragment`array_to_tsvector(array[' org:' || org_id::text])`

/** Whose an entity is, and the words of its names: as the index has them. */
export const entityWords = sql.fragment`(${owner} || ${wordsIn(sql.fragment`labels`)} || ${wordsIn(sql.fragment`aliases`)})`

/** Whose a claim is, and the words of its property and value: as the index has them. */
export const claimWords = sql.fragment`(${owner} || to_tsvector('simple', replace(property, '_', ' ')) || ${wordsIn(sql.fragment`value`)})`

/** A part of what is found, newest first: behind the row with id `before`. */
interface Part {
  before: string | undefined
  limit: number
}

/**
 * The newest of an organisation's rows that have the words of a search. All that have them are looked up first, in the index: walked
 * through from the newest on, each would be taken apart.
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

/** Entities of an organisation with the words of a search among their names, the newest first. Throws `TooBroad`. */
export async function findEntities(
  db: DatabasePool,
  orgId: string,
  query: string,
  part: Part,
): Promise<readonly entities.EntitySummary[]> {
  return await bounded(db, (tx) =>
    tx.any(sql.type(entities.EntitySummary)`
      select ${columnsOf(entities.EntitySummary)} from wiki.entities
      where id in (${matching(entities.table.name, entityWords, orgId, query, part)}) order by id desc`),
  )
}

/** Claims of an organisation with those words in their property or value, the newest first. Throws `TooBroad`. */
export async function findClaims(
  db: DatabasePool,
  orgId: string,
  query: string,
  part: Part,
): Promise<readonly claims.Claim[]> {
  return await bounded(db, (tx) =>
    tx.any(sql.type(claims.Claim)`
      select ${claims.columns} from wiki.claims as c
      where c.id in (${matching(claims.table.name, claimWords, orgId, query, part)}) order by c.id desc`),
  )
}
