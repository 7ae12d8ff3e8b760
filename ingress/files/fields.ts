import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { InstantInput } from '#lib/input-types.ts'
import { MetadataChange, MetadataField } from '../http/request/metadata.ts'

export const maxFolderLength = 400

const folderIssue =
  'must be names of folders joined by `/`, without a `/` at the start or end, and without the names `.` and `..`'

const isFolder = (text: string): boolean =>
  text === '' || text.split('/').every((name) => name.trim() !== '' && name !== '.' && name !== '..')

const FolderText = z.string().max(maxFolderLength).regex(withoutControl, 'must not contain control characters')

/** Schema of the path of a folder. An empty text is the place outside of all folders. */
export const Folder = FolderText.refine(isFolder, folderIssue)

export const Prefix = FolderText.min(1)
  .refine((text) => !text.startsWith('/'), 'must not start with `/`')
  .describe(
    'Finds objects whose folder starts with this text. For example, `invoices/` finds a folder with all of its subfolders.',
  )

export const Sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex')
  .transform((text) => text.toLowerCase())

/** Maximum time until an object expires: ten years, in seconds. */
const maxExpirySeconds = 10 * 366 * 86_400

const leastExpirySeconds = 60

const ExpiresIn = z
  .int()
  .min(leastExpirySeconds)
  .max(maxExpirySeconds)
  .describe('Seconds until the object is deleted, 60 to 316,224,000 (ten years). Instead of `expires_at`.')

const ExpiresAt = InstantInput.refine((text) => {
  const seconds = (Date.parse(text) - Date.now()) / 1_000
  return seconds > 0 && seconds <= maxExpirySeconds
}, 'must be in the future, and at most ten years away').describe('Time at which the object is deleted')

const folder = Folder.describe(
  'Folder of the object, such as `invoices/2026`. Default: none. Folders are created automatically.',
)

export const objectFields = {
  metadata: MetadataField.optional(),
  folder: folder.optional(),
  expires_at: ExpiresAt.optional(),
  expires_in: ExpiresIn.optional(),
} as const

export const objectChangeFields = {
  metadata: MetadataChange.optional(),
  folder: Folder.optional().describe('New folder of the object. An empty text moves it out of all folders.'),
  expires_at: ExpiresAt.nullable().optional().describe('Time at which the object is deleted. `null`: never.'),
  expires_in: ExpiresIn.optional(),
} as const

interface Expiry {
  expires_at?: string | null | undefined
  expires_in?: number | undefined
}

/** Refinement of a body: its expiry is given once. */
export const hasOneExpiry = ({ expires_at, expires_in }: Expiry): boolean =>
  expires_at === undefined || expires_at === null || expires_in === undefined

export const oneExpiry = { path: ['expires_in'], error: 'cannot be set together with `expires_at`' }

/** Returns the time of expiry. `null` if it is removed, undefined if it is not given. */
export function readExpiry({ expires_at, expires_in }: Expiry): Date | null | undefined {
  if (expires_in !== undefined) return new Date(Date.now() + expires_in * 1_000)
  return expires_at == null ? expires_at : new Date(expires_at)
}
