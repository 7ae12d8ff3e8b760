import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { runBounded, TooBroadError } from '../bounded.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { Company, shownColumns } from './companies.ts'

const like = { 'pg_trgm.word_similarity_threshold': '0.5' }

export interface Filter {
  jurisdiction?: string | undefined
  status?: string | undefined
  /** Code, name or ELF code of a legal form. Case is ignored. */
  legalForm?: string | undefined
  vatNumber?: string | undefined
  city?: string | undefined
  registeredFrom?: string | undefined
  registeredTo?: string | undefined
}

export interface Place {
  score: number
  name_norm: string
  id: string
}

const CompanyMatch = Company.extend({ name_norm: z.string(), score: z.number(), field: z.string() })

/** A company, the field that matches and its similarity. 1 means an exact match. */
export type CompanyMatch = z.infer<typeof CompanyMatch>

interface Step {
  filter: Filter
  after: Place | undefined
  limit: number
}

const all = sql.fragment`true`

function matching({ jurisdiction, status, legalForm, vatNumber, city, registeredFrom, registeredTo }: Filter) {
  const form = legalForm?.toLowerCase() ?? ''
  const city_ = city?.toLowerCase() ?? ''
  return sql.join(
    [
      all,
      ...(jurisdiction === undefined ? [] : [sql.fragment`c.jurisdiction = ${jurisdiction}`]),
      ...(status === undefined ? [] : [sql.fragment`c.status = ${status}`]),
      ...(vatNumber === undefined ? [] : [sql.fragment`c.vat_number = ${vatNumber}`]),
      ...(legalForm === undefined
        ? []
        : [sql.fragment`${form} in (lower(c.legal_form_code), lower(c.legal_form_name), lower(c.elf_code))`]),
      ...(city === undefined ? [] : [sql.fragment`lower(c.city) = ${city_}`]),
      ...(registeredFrom === undefined ? [] : [sql.fragment`c.registered_at >= ${registeredFrom}::date`]),
      ...(registeredTo === undefined ? [] : [sql.fragment`c.registered_at <= ${registeredTo}::date`]),
    ],
    sql.fragment` and `,
  )
}

const isFree = (filter: Filter) => Object.values(filter).every((value) => value === undefined)

export async function findExact(db: Db, texts: readonly string[], filter: Filter): Promise<readonly CompanyMatch[]> {
  const wanted = sql.array([...texts], 'text')
  const query = isFree(filter) ? sql.prepared('erp.search.exact', CompanyMatch) : sql.type(CompanyMatch)
  return await db.any(query`
    select ${shownColumns}, c.name_norm, 1 as score, case when c.code = any (${wanted}) then 'code'
      when c.vat_number = any (${wanted}) then 'vat' else 'lei' end as field
    from erp.companies as c join erp.registers as r on r.name = c.register
    where (c.code = any (${wanted}) or c.vat_number = any (${wanted}) or c.lei = any (${wanted})) and ${matching(filter)}
    order by c.jurisdiction, c.code limit 100`)
}

/** Returns a condition for names that start with `name`. The index is by bytes, and no name contains U+10FFFF. */
const beginning = (name: string) => sql.fragment`c.name_norm >= ${name} and c.name_norm < ${name} || chr(1114111)`

/** Returns companies whose names start with the text, by name. An empty text matches all companies. */
export async function findByPrefix(
  db: DatabasePool,
  name: string,
  { filter, after, limit }: Step,
): Promise<readonly CompanyMatch[]> {
  const rest = after ? sql.fragment`(c.name_norm, c.id) > (${after.name_norm}, ${after.id}::uuid)` : all
  const query = isFree(filter) && !after ? sql.prepared('erp.search.prefix', CompanyMatch) : sql.type(CompanyMatch)
  const search = async (tx: Db) =>
    tx.any(query`
      select ${shownColumns}, c.name_norm, similarity(c.name_norm, ${name})::float8 as score, 'name' as field
      from (
        select * from erp.companies as c where ${beginning(name)} and ${rest} and ${matching(filter)}
        order by c.name_norm, c.id limit ${limit}) as c
      join erp.registers as r on r.name = c.register
      order by c.name_norm, c.id`)
  return isFree(filter) ? await search(db) : await runBounded(db, search)
}

/** Maximum number of names that are checked for a word. A common word is in a tenth of all names. */
const mostWithWords = 2_000

/** Timeouts in milliseconds for exact words and for similar words. A page and its fallback take less than a second. */
const wordsMs = { statement_timeout: '300' }
const likeMs = { ...like, statement_timeout: '600' }

const CompanyWithWords = CompanyMatch.extend({ looked_at: z.number() })

/**
 * Returns companies with exactly these words in this order, after the start of their names, and the number of checked
 * names. For common words, only some names are checked.
 */
async function withWords(
  db: DatabasePool,
  name: string,
  { filter, after, limit }: Step,
): Promise<readonly z.infer<typeof CompanyWithWords>[]> {
  if (after && after.score < 1) return []
  const rest = after ? sql.fragment`(c.name_norm, c.id) > (${after.name_norm}, ${after.id}::uuid)` : all
  const search = async (tx: Db) =>
    await tx.any(sql.type(CompanyWithWords)`
      select ${shownColumns}, c.name_norm, 1 as score, 'name' as field, c.looked_at
      from (
        select *, count(*) over () as looked_at from (
          select * from erp.companies as c
          where (c.name_norm like ${`% ${name} %`} or c.name_norm like ${`% ${name}`})
            and not (${beginning(name)}) and ${rest} and ${matching(filter)} limit ${mostWithWords + 1}) as c
        order by c.name_norm, c.id limit ${limit}) as c
      join erp.registers as r on r.name = c.register
      order by c.name_norm, c.id`)
  return await runBounded(db, search, wordsMs)
}

/**
 * Returns companies whose names contain a legal form (letters and spaces), by name. Legal forms are the most common
 * words of registers.
 */
export async function findByLegalForm(
  db: DatabasePool,
  form: string,
  { filter, after, limit }: Step,
): Promise<{ found: readonly CompanyMatch[]; complete: boolean }> {
  const rest = after ? sql.fragment`(c.name_norm, c.id) > (${after.name_norm}, ${after.id}::uuid)` : all
  const search = async (tx: Db) =>
    await tx.any(sql.type(CompanyMatch)`
      select ${shownColumns}, c.name_norm, 1 as score, 'name' as field
      from (
        select * from erp.companies as c
        where c.name ~* ${`\\m${form.replaceAll(' ', '[. ]+')}\\M`} and not (${beginning(form)}) and ${rest} and ${matching(filter)}
        order by c.name_norm, c.id limit ${limit}) as c
      join erp.registers as r on r.name = c.register
      order by c.name_norm, c.id`)
  const found = await orTimedOut(runBounded(db, search, likeMs))
  return { found: found ?? [], complete: found !== null }
}

/**
 * Returns companies with similar words in a current or previous name, best first, without names that start with the
 * text. Exact words are preferred if they fill the page, or if similar words would take too long. If more names contain
 * the words than can be checked, the result is incomplete.
 */
export async function findSimilar(
  db: DatabasePool,
  name: string,
  step: Step,
): Promise<{ found: readonly CompanyMatch[]; complete: boolean }> {
  const words = await orTimedOut(withWords(db, name, step))
  const isWhole = words?.[0] === undefined || words[0].looked_at <= mostWithWords
  if (words && words.length >= step.limit) return { found: words, complete: isWhole }
  const found = await orTimedOut(fuzzy(db, name, step))
  return { found: found ?? words ?? [], complete: found !== null }
}

/** Returns the result of a search. `null` if the search timed out. */
export async function orTimedOut<T>(search: Promise<T>): Promise<T | null> {
  try {
    return await search
  } catch (error) {
    if (error instanceof TooBroadError) return null
    throw error
  }
}

const RankedCompany = z.object({ id: Id, score: z.number(), field: z.string() })

async function fuzzy(db: DatabasePool, name: string, { filter, after, limit }: Step): Promise<readonly CompanyMatch[]> {
  const place = sql.fragment`(-score, c.name_norm, c.id)`
  const rest = after ? sql.fragment`${place} > (${-after.score}, ${after.name_norm}, ${after.id}::uuid)` : all
  const search = async (tx: Db) => {
    const ranked = await tx.any(sql.type(RankedCompany)`
      select c.id, score, field from (
        select c.*, word_similarity(${name}, c.name_norm)::float8 as score, 'name' as field
        from erp.companies as c where ${name} <% c.name_norm
        union all
        select c.*, word_similarity(${name}, c.previous_norm)::float8, 'previous_name'
        from erp.companies as c
        where c.previous_norm is not null and ${name} <% c.previous_norm and not ${name} <% c.name_norm) as c
      where not (${beginning(name)}) and ${rest} and ${matching(filter)}
      order by ${sql.fragment`-score, c.name_norm, c.id`} limit ${limit}`)
    // Uses arrays, because the planner knows their length. It estimates a JSON set at a hundred rows and would scan the
    // whole table.
    const ids = sql.array(
      ranked.map(({ id }) => id),
      'uuid',
    )
    const scores = sql.array(
      ranked.map(({ score }) => score),
      'float8',
    )
    const fields = sql.array(
      ranked.map(({ field }) => field),
      'text',
    )
    return await tx.any(sql.type(CompanyMatch)`
      select ${shownColumns}, c.name_norm, f.score, f.field
      from unnest(${ids}, ${scores}, ${fields}) as f (id, score, field)
      join erp.companies as c on c.id = f.id join erp.registers as r on r.name = c.register
      order by -f.score, c.name_norm, c.id`)
  }
  return await runBounded(db, search, likeMs)
}
