import { badRequest } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import { findUrlFault, hasLocalOrg, isLocalOrg } from '../../webhooks/rules/endpoint-url.ts'

/** Returns the issue of each URL that the organisation cannot use. Undefined for the others. */
export async function findUrlFaults(db: Db, orgId: string, urls: readonly string[]): Promise<(string | undefined)[]> {
  const faults = urls.map((url) => findUrlFault(url, { local: false }))
  if (!hasLocalOrg || faults.every((fault) => fault === undefined)) return faults
  const local = await isLocalOrg(db, orgId)
  return urls.map((url) => findUrlFault(url, { local }))
}

/** Throws 400 with the fields of all URLs that the organisation cannot use. */
export async function demandJobUrls(
  db: Db,
  orgId: string,
  urls: readonly { url: string; field: string }[],
): Promise<void> {
  const faults = await findUrlFaults(
    db,
    orgId,
    urls.map(({ url }) => url),
  )
  const found = urls.flatMap(({ field }, i) => {
    const issue = faults[i]
    return issue === undefined ? [] : [{ field, issue }]
  })
  if (found.length > 0) throw badRequest(found)
}
