import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutboundClient } from '#lib/http.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import type { PoolPlan } from '../../workers/runtime/fleet.ts'
import { createDocumentReader } from '../../workers/web/document-reader.ts'
import { createMetaRefreshReader } from '../../workers/web/meta-refresh.ts'
import { createPageReader } from '../../workers/web/page-reader.ts'
import type { Scope } from '../support/postgres.ts'
import { testScratch as scratch } from '../support/scratch.ts'
import { type Ending, zipped } from '../support/zip.ts'

/** Response of a site for a path. */
export type Answer = (req: IncomingMessage, res: ServerResponse) => void

/** Starts a site with pages by path. */
export async function testSite(t: Scope, pages: Record<string, Answer>): Promise<string> {
  const server = createServer((req, res) => {
    const answer = pages[req.url ?? '']
    if (answer) answer(req, res)
    else res.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The plan of the pool `web`, which can reach sites on this machine. */
export function webPlan(storage: Storage): { plan: PoolPlan<'web'>; close(): Promise<void> } {
  const outbound = createOutboundClient({ allowed: ['127.0.0.1'] })
  const refresh = createMetaRefreshReader()
  const pages = createPageReader(scratch)
  const documents = createDocumentReader(pages, scratch)
  const openBucket = () => Promise.reject(new Error('No bucket is opened here.'))
  const tools = { outbound, pages, documents, metaRefresh: refresh.metaRefresh, storage, scratch, openBucket }
  return {
    plan: { pool: 'web', settings: { concurrency: 4, fetchAhead: 0 }, tasks: getTasksOfPool('web'), tools },
    close: () => Promise.all([outbound.close(), refresh.close(), documents.close()]).then(() => {}),
  }
}

export const zip = (files: Readonly<Record<string, string | Buffer>>, ending: Ending = {}): Buffer =>
  zipped(
    Object.entries(files).map(([name, content]) => ({ name, bytes: content })),
    ending,
  )

export const docx = (heading: string, paragraphs: readonly string[], ending: Ending = {}): Buffer => {
  const files = {
    '[Content_Types].xml': '<Types/>',
    'docProps/core.xml': '<cp:coreProperties><dc:title>Of &amp; for guests</dc:title></cp:coreProperties>',
    'word/document.xml': `<?xml version="1.0"?><w:document><w:body><w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>${heading}</w:t></w:r></w:p>
${paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t><w:delText>struck out</w:delText></w:r></w:p>`).join('')}</w:body></w:document>`,
  }
  return zip(files, ending)
}
