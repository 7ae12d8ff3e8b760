import { z } from 'zod'
import { badRequest, unauthorized } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as tokens from '#sql/account/upload-tokens.ts'
import type { Db } from '#sql/db.ts'
import { problem } from '../problem-kinds.ts'
import type { UploadToken } from '../upload-tokens.ts'

export const uploadNotAllowed = problem(
  403,
  'upload_not_allowed',
  'The upload token does not allow this upload. `details` has its limits.',
)

export interface StartedUpload {
  bytes: number
  /** Names of the fields of the body, for errors. */
  fields: { bytes: string; type: string }
  type: string | undefined
}

/**
 * Counts an upload that a web page starts with a token, in the transaction of the upload. Returns the token’s row, or
 * `null` if the request has a key. Throws 401 if the token is revoked, 403 if it allows no more files, and 400 with each
 * field that it does not allow.
 */
export async function takeFromToken(
  tx: Db,
  { org, uploadToken }: { org: Caller['org']; uploadToken: UploadToken | undefined },
  upload: StartedUpload,
): Promise<tokens.UploadToken | null> {
  if (!uploadToken?.start_id || !uploadToken.area) return null
  const taken = await tokens.takeOne(tx, org.id, uploadToken.start_id)
  if (taken === null) throw await refusalOf(tx, { orgId: org.id, area: uploadToken.area }, uploadToken.start_id)
  const faults = findFaults(taken, upload)
  if (faults.length > 0) throw badRequest(faults)
  return taken
}

async function refusalOf(tx: Db, owner: tokens.TokenOwner, id: string): Promise<Error> {
  const known = await tokens.find(tx, owner, id)
  if (known === null || known.revoked_at !== null) return unauthorized('This upload token has been revoked.')
  if (known.files < known.max_files)
    return unauthorized('This upload token has expired. Request another from your server.')
  const { max_files } = known
  return uploadNotAllowed(`This upload token allows up to ${max_files} files, and all of them were started.`, {
    max_files,
  })
}

function findFaults({ max_bytes, content_types }: tokens.UploadToken, { bytes, type, fields }: StartedUpload) {
  const faults: { field: string; issue: string }[] = []
  if (bytes > max_bytes)
    faults.push({ field: fields.bytes, issue: `must be at most ${max_bytes} with this upload token` })
  if (content_types.length > 0 && !content_types.some((allowed) => isAllowed(allowed, type)))
    faults.push({ field: fields.type, issue: `must be ${content_types.join(' or ')} with this upload token` })
  return faults
}

/** `image/*` allows all types that start with `image/`. Parameters of the type are ignored. */
function isAllowed(allowed: string, type = ''): boolean {
  const plain = type.split(';')[0]?.trim().toLowerCase() ?? ''
  return allowed.endsWith('/*') ? plain.startsWith(allowed.slice(0, -1)) : plain === allowed
}

export const ContentTypes = z
  .array(
    z
      .string()
      .max(100)
      .toLowerCase()
      .regex(
        /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/,
        'must be a media type, such as `image/png` or `image/*`',
      ),
  )
  .max(20)
  .default([])
  .describe('Media types that the page can declare, such as `image/png` or `image/*`. Default: all types.')
