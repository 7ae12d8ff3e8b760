import type { DatabasePool } from '#sql/db.ts'
import { type CompanyMatch, findExact } from '#sql/erp/search.ts'
import { compact, listPossibleCodes, readLei, readVatNumber } from '#tasks/erp/rules/codes.ts'
import { normaliseName, plainText } from '#tasks/erp/rules/company-name.ts'
import { compareNames } from '#tasks/erp/rules/name-similarity.ts'
import { searchCompanies } from './search.ts'

export interface CompanyQuery {
  name: string
  jurisdiction?: string | undefined
  code?: string | undefined
  vat_number?: string | undefined
  lei?: string | undefined
  city?: string | undefined
  postal_code?: string | undefined
}

export interface Candidate {
  company: CompanyMatch
  /** From 0 to 100. */
  score: number
  /** True if it is safe to use the company without a check by a person. */
  match: boolean
}

/** Minimum similarity of names, from 0 to 1, with which an equal code is a safe match. */
const similarEnough = 0.4

/** Points for a name, for an equal identifier, and for an equal city or postal code. */
const points = { name: 85, identifier: 50, nameWithIdentifier: 50, place: 5 }

/**
 * Returns the companies that best match a description, best first. An identifier is a LEI, a VAT number, or a code. Name
 * alone is a safe match only if no company has the identifier, and exactly one has the same name, apart from its legal
 * form. If several companies fit, none is a safe match.
 */
export async function matchCompany(db: DatabasePool, query: CompanyQuery, limit: number): Promise<Candidate[]> {
  const identifiers = [query.lei, query.vat_number, query.code].flatMap((text) =>
    text ? [...listPossibleCodes(text), compact(text)] : [],
  )
  const filter = { jurisdiction: query.jurisdiction }
  const byIdentifier = identifiers.length > 0 ? await findExact(db, [...new Set(identifiers)], filter) : []
  const { found } = await searchCompanies(db, { q: query.name, filter, place: undefined, limit: Math.max(limit, 10) })
  const all = new Map([...byIdentifier, ...found.map(([, company]) => company)].map((one) => [one.id, one]))
  const name = normaliseName(query.name)
  const rated = [...all.values()].map((company) => rate(company, query, name))
  const sameName = rated.filter(({ similarity }) => similarity === 1)
  const hasIdentified = rated.some(({ isIdentified }) => isIdentified)
  const fitting = rated.filter(
    ({ company, similarity, isIdentified, isContradicted }) =>
      !isContradicted &&
      company.missing_since === null &&
      (isIdentified ? similarity >= similarEnough : !hasIdentified && similarity === 1 && sameName.length === 1),
  )
  const safe = fitting.length === 1 ? fitting[0]?.company.id : undefined
  return rated
    .map(({ company, score }) => ({ company, score: Math.round(score * 10) / 10, match: company.id === safe }))
    .sort((one, other) => other.score - one.score || (one.company.id < other.company.id ? -1 : 1))
    .slice(0, limit)
}

function rate(company: CompanyMatch, query: CompanyQuery, name: string) {
  const names = [company.name, ...company.previous_names].map(normaliseName)
  const similarity = Math.max(...names.map((one) => compareNames(name, one)))
  const checks = [
    query.lei && company.lei && readLei(query.lei) === company.lei,
    query.vat_number && company.vat_number && readVatNumber(query.vat_number) === company.vat_number,
    query.code && listPossibleCodes(query.code).includes(company.code),
  ].filter((check) => typeof check === 'boolean')
  const isIdentified = checks.includes(true)
  const isContradicted = checks.includes(false)
  const base = isIdentified
    ? points.identifier + points.nameWithIdentifier * similarity
    : points.name * similarity + placePoints(company, query)
  return { company, similarity, isIdentified, isContradicted, score: isContradicted ? base / 2 : Math.min(100, base) }
}

function placePoints(company: CompanyMatch, query: CompanyQuery): number {
  const isSame = (one: string | null, other: string | undefined) =>
    one !== null && other !== undefined && plainText(one) === plainText(other)
  return (
    (isSame(company.city, query.city) ? points.place : 0) +
    (isSame(company.postal_code, query.postal_code) ? points.place : 0) +
    (query.jurisdiction === undefined ? 0 : points.place)
  )
}
