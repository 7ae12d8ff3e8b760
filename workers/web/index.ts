import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { createOutboundClient } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/files/buckets.ts'
import { openScratch } from '../media/scratch.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createBucketOpener } from './buckets.ts'
import { createDocumentReader } from './document-reader.ts'
import { createMetaRefreshReader } from './meta-refresh.ts'
import { createPageReader } from './page-reader.ts'

export const web: PoolDeclaration<'web'> = {
  concurrency: config.WEB_CONCURRENCY,
  share: { perOrganisation: 1 / 4, ofNobody: ['erp/fetch', 'trust/import'] },
  lacks: async () => undefined,
  tools: async ({ db, storage, ends }) => {
    const outbound = createOutboundClient()
    const { metaRefresh, close } = createMetaRefreshReader()
    ends.defer(() => Promise.all([outbound.close(), close()]).then(() => {}))
    // Uses a separate folder, because the files belong to no asset.
    const scratch = await openScratch(join(config.MILLRACE_DATA, 'web-scratch'), storage, async () => [])
    ends.defer(() => scratch.close())
    const pages = createPageReader(scratch)
    const documents = createDocumentReader(pages, scratch)
    ends.defer(() => documents.close())
    const seal = config.SIGNING_SECRET ? createSeal(config.SIGNING_SECRET, sealPurpose) : undefined
    const buckets = createBucketOpener(db, outbound, seal)
    ends.defer(() => buckets.close())
    return { outbound, openBucket: buckets.open, pages, documents, metaRefresh, storage, scratch }
  },
}
