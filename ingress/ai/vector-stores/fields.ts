import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import type { CursorPage } from '#sql/cursor-page.ts'
import * as files from '#sql/knowledge/store-files.ts'
import type { Store } from '#sql/knowledge/stores.ts'
import { pathId } from '../../http/request/validate.ts'
import { openAiErrorBody } from '../openai-problem.ts'
import { AttributeKey } from './filters.ts'

/** What all routes of vector stores have in common. */
export const ofStores = { beyondContract: true, problemBody: openAiErrorBody } as const

export const storeParams = z.object({ storeId: pathId('vector store') })

export const fileParams = storeParams.extend({ fileId: pathId('file') })

const hasFew = (entries: object): boolean => Object.keys(entries).length <= 16

const tooMany = 'must have up to 16 entries'

export const Metadata = z
  .record(AttributeKey, z.string().max(512))
  .refine(hasFew, tooMany)
  .describe('Your own metadata: up to 16 strings of up to 512 characters')

export const Attributes = z
  .record(AttributeKey, z.union([z.string().max(512), z.number(), z.boolean()]))
  .refine(hasFew, tooMany)
  .describe('Attributes to filter by: up to 16 strings of up to 512 characters, numbers and booleans')

export const ExpiresAfter = z
  .strictObject({ anchor: z.literal('last_active_at'), days: z.int().min(1).max(365) })
  .describe('Deletes the store after this number of days without use')

export const Chunking = z
  .strictObject({ type: z.literal('auto', 'must be `auto`: Millrace splits texts at headings, pages and sentences') })
  .nullish()
  .describe('Only `auto`: Millrace splits texts at headings, pages and sentences')

const UnixSeconds = z.int().describe('Unix time in seconds')

const Counts = z.object({
  in_progress: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  total: z.int(),
})

export const VectorStore = z
  .object({
    id: Id,
    object: z.literal('vector_store'),
    created_at: UnixSeconds,
    name: z.string(),
    description: z.string().nullable(),
    status: z.enum(['in_progress', 'completed']).describe('`in_progress` while files are read'),
    usage_bytes: z.int().describe('Bytes of the indexed text'),
    file_counts: Counts,
    metadata: z.record(z.string(), z.string()),
    expires_after: z.object({ anchor: z.literal('last_active_at'), days: z.int() }).nullable(),
    expires_at: UnixSeconds.nullable(),
    last_active_at: UnixSeconds,
  })
  .meta({ id: 'ai.VectorStore' })

export const VectorStoreFile = z
  .object({
    id: Id.describe('ID of the file'),
    object: z.literal('vector_store.file'),
    created_at: UnixSeconds,
    vector_store_id: Id,
    filename: z.string(),
    status: files.FileStatus,
    last_error: files.FileError.nullable().describe('Reason why the file could not be read'),
    usage_bytes: z.int().describe('Bytes of the indexed text'),
    attributes: files.Attributes,
    chunking_strategy: z.object({ type: z.literal('other') }),
  })
  .meta({ id: 'ai.VectorStoreFile' })

export const toSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000)

export function presentStore(row: Store): z.input<typeof VectorStore> {
  const { files_in_progress, files_completed, files_failed, files_cancelled, expires_days } = row
  return {
    id: row.id,
    object: 'vector_store',
    created_at: toSeconds(row.created_at),
    name: row.name,
    description: row.description,
    status: files_in_progress > 0 ? 'in_progress' : 'completed',
    usage_bytes: row.usage_bytes,
    file_counts: {
      in_progress: files_in_progress,
      completed: files_completed,
      failed: files_failed,
      cancelled: files_cancelled,
      total: files_in_progress + files_completed + files_failed + files_cancelled,
    },
    metadata: row.metadata,
    expires_after: expires_days === null ? null : { anchor: 'last_active_at', days: expires_days },
    expires_at: row.expires_at && toSeconds(row.expires_at),
    last_active_at: toSeconds(row.last_active_at),
  }
}

export const presentFile = (row: files.StoreFile): z.input<typeof VectorStoreFile> => ({
  id: row.file_id,
  object: 'vector_store.file',
  created_at: toSeconds(row.created_at),
  vector_store_id: row.store_id,
  filename: row.filename,
  status: row.status,
  last_error: row.error,
  usage_bytes: row.usage_bytes,
  attributes: row.attributes,
  chunking_strategy: { type: 'other' },
})

export const PageQuery = z.object({
  limit: queryInt(1, 100).default(20).describe('Maximum number of items'),
  order: z.enum(['asc', 'desc']).default('desc').describe('Order by creation time'),
  after: Id.optional().describe('ID after which the page starts: `last_id` of the previous page'),
  before: Id.optional().describe('ID before which the page ends: `first_id` of the next page'),
})

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })

/** Reads one row more than the page has, to know if further rows exist. */
export async function readPage<Row, Item extends { id: string }>(
  page: z.output<typeof PageQuery>,
  read: (page: CursorPage) => Promise<readonly Row[]>,
  present: (row: Row) => Item,
) {
  const rows = await read({ ...page, limit: page.limit + 1 })
  const isBackwards = page.before !== undefined && page.after === undefined
  const shown = isBackwards ? rows.slice(-page.limit) : rows.slice(0, page.limit)
  const data = shown.map(present)
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rows.length > page.limit,
  }
}
