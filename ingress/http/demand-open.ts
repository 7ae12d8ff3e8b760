import { notFound } from '#lib/errors.ts'
import * as closures from '#sql/account/closures.ts'
import type { Db } from '#sql/db.ts'

/**
 * Throws 404 if the organisation is closed. Call it where a token or a public page leads to an organisation and the
 * query does not check `closures.isOpen`.
 */
export async function requireOpenOrganisation(db: Db, orgId: string, what: string): Promise<void> {
  if (await closures.isClosed(db, orgId)) throw notFound(what)
}
