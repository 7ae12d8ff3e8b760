import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import { jobKey } from '#sql/knowledge/lacking.ts'
import { save } from '#sql/knowledge/sources.ts'
import * as files from '#sql/knowledge/store-files.ts'
import * as stores from '#sql/knowledge/stores.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { hasEmbeddedModel } from '../../ai/rules/embedded-model.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { SourceError } from '../../sources/rules/source-error.ts'
import { embed } from '../embed.ts'

/** Maximum number of characters of a file’s text. Indexing them takes about two seconds. */
export const mostCharacters = 1_000_000

/**
 * Indexes the text of a file in place of its previous text, and completes its read. The caller must hold the lock of
 * the file. Throws `SourceError` if the text is empty or too long, or exceeds the limit of the organisation.
 */
export async function storeText(tx: Db, file: files.StoreFile, text: string): Promise<void> {
  if (text.trim() === '') throw new SourceError('The file contains no text.', { code: 'empty' })
  if (text.length > mostCharacters)
    throw new SourceError(`The text has more than ${mostCharacters} characters. Split the file.`, { code: 'too_long' })
  const { id, org_id, store_id: collection_id, filename: title } = file
  await save(tx, { id, org_id, collection_id, title, url: null, text })
  const bytes = Buffer.byteLength(text)
  // Locked only now, so that texts of an organisation are indexed at the same time.
  await lockOrgLimit(tx, org_id, 'knowledge.store_bytes')
  const total = (await stores.sumBytes(tx, org_id)) - file.usage_bytes + bytes
  if (total > config.AI_VECTOR_STORE_BYTES)
    throw new SourceError(
      `The vector stores of the organisation can have up to ${config.AI_VECTOR_STORE_BYTES} bytes of text. Delete files first.`,
      { code: 'full' },
    )
  await files.complete(tx, file, bytes)
  if (config.AI_ENGINE === 'upstream' || hasEmbeddedModel())
    await enqueue(tx, embed, { sourceId: id }, { key: jobKey(id), orgId: org_id })
}
