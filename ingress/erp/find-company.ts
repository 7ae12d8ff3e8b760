import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Company, findByCode } from '#sql/erp/companies.ts'
import { listPossibleCodes, readCode } from '#tasks/erp/rules/codes.ts'
import { problem } from '../http/problem-kinds.ts'

export const ambiguousCode = problem(
  400,
  'ambiguous_code',
  'Several jurisdictions have this code. `details.candidates` lists the companies.',
)

export const jurisdiction = z
  .string()
  .toLowerCase()
  .regex(/^[a-z]{2}(-[a-z0-9]{1,3})?$/, 'must be a country such as ee, or a subdivision such as us-de')
  .optional()
  .describe('ISO 3166-1 alpha-2 country, or a subdivision (ISO 3166-2)')

/**
 * Returns the only company with the code. Throws 404 if there is none, and 400 if there are several. `field` names the
 * code in the request.
 */
export async function findCompany(
  db: DatabasePool,
  code: string,
  jurisdiction: string | undefined,
  field = 'path.code',
): Promise<Company> {
  if (code.length > 60) throw notFound('company')
  const known = await findByCode(db, listPossibleCodes(code))
  const found = known.filter((one) => jurisdiction === undefined || one.jurisdiction === jurisdiction)
  const [company, another] = found
  if (company && another) {
    const candidates = found.map(({ jurisdiction, code, name, status }) => ({ jurisdiction, code, name, status }))
    throw ambiguousCode('Several companies have this code. Set `jurisdiction`.', { candidates })
  }
  if (company) return company
  if (jurisdiction !== undefined && readCode(jurisdiction, code) === null)
    throw badRequest([{ field, issue: `must be a valid code in the jurisdiction ${jurisdiction}` }])
  throw notFound('company')
}
