import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { Origin } from '#lib/network/origin.ts'
import { secret } from '#lib/secret-fields.ts'
import type * as tokens from '#sql/account/upload-tokens.ts'
import { Instant } from '../instant.ts'
import { issueUploadToken, type UploadGrant } from '../upload-tokens.ts'
import { ContentTypes } from './start-tokens.ts'

/** Fields of a new token that are the same in all areas. `mostBytes` is the largest upload of the area. */
export const limitFields = (mostBytes: number) => ({
  max_bytes: z.int().min(1).max(mostBytes).describe('Maximum size of each file in bytes'),
  max_files: z.int().min(1).max(1_000).default(1).describe('Maximum number of files that the page can start'),
  content_types: ContentTypes,
  origins: z
    .array(Origin)
    .min(1)
    .max(20)
    .transform((given) => [...new Set(given)])
    .describe('Origins of the web pages that can use the token'),
  expires_in: z.int().min(60).max(86_400).default(3_600).describe('Time to live of the token in seconds'),
})

/** Fields of every token in responses. */
export const shownFields = {
  upload_token_id: Id,
  max_bytes: z.int(),
  max_files: z.int(),
  files_started: z.int().describe('Number of files that the page has started'),
  content_types: z.array(z.string()).describe('Empty if all types are allowed'),
  origins: z.array(z.string()),
  expires_at: Instant,
  revoked_at: Instant.nullable(),
  created_at: Instant,
}

export const uploadTokenField = {
  upload_token: secret(z.string()).describe(
    'Token for the web page. The page sends it as `Authorization: Bearer` when it starts an upload.',
  ),
}

export const presentToken = (row: tokens.UploadToken) => ({
  upload_token_id: row.id,
  max_bytes: row.max_bytes,
  max_files: row.max_files,
  files_started: row.files,
  content_types: row.content_types,
  origins: row.origins,
  expires_at: row.expires_at,
  revoked_at: row.revoked_at,
  created_at: row.created_at,
})

interface Wanted {
  max_bytes: number
  max_files: number
  content_types: string[]
  origins: string[]
  expires_in: number
}

export function newToken(
  orgId: string,
  keyId: string,
  area: tokens.Area,
  { max_bytes, max_files, content_types, origins, expires_in }: Wanted,
): tokens.NewUploadToken {
  const expires_at = new Date(Date.now() + expires_in * 1000)
  return { id: newId(), org_id: orgId, key_id: keyId, area, max_bytes, max_files, content_types, origins, expires_at }
}

/** Signs the token of a row. A repeated request gets the same token. */
export function signStartToken(
  row: Pick<tokens.UploadToken, 'id' | 'key_id' | 'area' | 'origins'> & { expires_at: Date | string },
  signingSecret: string,
): string {
  const exp = Math.floor(new Date(row.expires_at).getTime() / 1000)
  const grant: UploadGrant = { start_id: row.id, area: row.area, key_id: row.key_id, origins: row.origins, exp }
  return issueUploadToken(grant, signingSecret).upload_token as string
}
