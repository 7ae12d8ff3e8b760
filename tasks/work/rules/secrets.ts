import { requireVariable } from '#lib/config.ts'
import { createSeal, type Seal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import * as settings from '#sql/work/settings.ts'
import { createSecret } from '../../webhooks/rules/secrets.ts'

let seal: Seal | undefined

/** Returns the seal of signing secrets and headers. */
export function getJobSeal(): Seal {
  seal ??= createSeal(requireVariable('SIGNING_SECRET'), settings.sealPurpose)
  return seal
}

/** Creates the signing secrets of organisations that have none. */
export async function ensureSecrets(tx: Db, orgIds: readonly string[]): Promise<void> {
  const known = new Set(await settings.listKnown(tx, orgIds))
  const missing = orgIds.filter((id) => !known.has(id))
  if (missing.length === 0) return
  await settings.insertMissing(
    tx,
    missing.map((org_id) => ({ org_id, secret: sealSecret(createSecret(), org_id) })),
  )
}

export const sealSecret = (secret: string, orgId: string): string =>
  getJobSeal().close(secret, settings.getSecretContext(orgId))

/** Returns sealed headers. Throws if they cannot be decrypted. */
export function openHeaders(sealed: string, ownerId: string): Record<string, string> {
  const text = getJobSeal().open(sealed, settings.getHeadersContext(ownerId))
  if (text === null) throw new Error('the headers cannot be decrypted')
  return JSON.parse(text)
}

export const sealHeaders = (headers: Readonly<Record<string, string>>, jobId: string): string =>
  getJobSeal().close(JSON.stringify(headers), settings.getHeadersContext(jobId))
