import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateRawSync } from 'node:zlib'
import { createOutboundClient } from '#lib/http.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { tasksOf } from '#tasks/index.ts'
import type { PoolPlan } from '../../workers/runtime/fleet.ts'
import { createDocumentReader } from '../../workers/web/document-reader.ts'
import { createMetaRefreshReader } from '../../workers/web/meta-refresh.ts'
import { createPageReader } from '../../workers/web/page-reader.ts'
import type { Scope } from '../support/postgres.ts'
import { testScratch as scratch } from '../support/scratch.ts'

/** What a site answers at a path. */
export type Answer = (req: IncomingMessage, res: ServerResponse) => void

/** Starts a site whose pages are by path. */
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

/** The plan of the pool `web`, which may reach sites of this machine. */
export function webPlan(storage: Storage): { plan: PoolPlan<'web'>; close(): Promise<void> } {
  const outbound = createOutboundClient({ allowed: ['127.0.0.1'] })
  const refresh = createMetaRefreshReader()
  const pages = createPageReader(scratch)
  const documents = createDocumentReader(pages, scratch)
  const tools = { outbound, pages, documents, metaRefresh: refresh.metaRefresh, storage, scratch }
  return {
    plan: { pool: 'web', settings: { concurrency: 4, fetchAhead: 0 }, tasks: tasksOf('web'), tools },
    close: () => Promise.all([outbound.close(), refresh.close(), documents.close()]).then(() => {}),
  }
}

/** A ZIP archive of files by their names (APPNOTE.TXT 6.3). */
export function zip(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(bytes.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, Buffer.from(name))
    parts.push(local)
    at += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}

/** A DOCX of one heading and paragraphs. */
export const docx = (heading: string, paragraphs: readonly string[]): Buffer =>
  zip({
    '[Content_Types].xml': '<Types/>',
    'docProps/core.xml': '<cp:coreProperties><dc:title>Of &amp; for guests</dc:title></cp:coreProperties>',
    'word/document.xml': `<?xml version="1.0"?><w:document><w:body><w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>${heading}</w:t></w:r></w:p>
${paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t><w:delText>struck out</w:delText></w:r></w:p>`).join('')}</w:body></w:document>`,
  })
