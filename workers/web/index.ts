import { config } from '#lib/config.ts'
import { createOutboundClient } from '#lib/http.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createDocumentReader } from './document-reader.ts'
import { createMetaRefreshReader } from './meta-refresh.ts'
import { createPageReader } from './page-reader.ts'

/** The pool that fetches from the web: snapshots of sources, feeds of threats, links to be expanded. */
export const web: PoolDeclaration<'web'> = {
  concurrency: config.WEB_CONCURRENCY,
  lacks: async () => undefined,
  tools: async ({ storage, ends }) => {
    const outbound = createOutboundClient()
    const { metaRefresh, close } = createMetaRefreshReader()
    const pages = createPageReader()
    const documents = createDocumentReader(pages)
    ends.defer(() => Promise.all([outbound.close(), close(), documents.close()]).then(() => {}))
    return { outbound, pages, documents, metaRefresh, storage }
  },
}
