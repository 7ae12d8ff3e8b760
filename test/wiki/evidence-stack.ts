import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutboundClient } from '#lib/http.ts'
import type { DatabasePool } from '#sql/db.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import type { PageReader } from '#tasks/wiki/engine.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { createDocumentReader } from '../../workers/web/document-reader.ts'
import { createMetaRefreshReader } from '../../workers/web/meta-refresh.ts'
import { createPageReader } from '../../workers/web/page-reader.ts'
import { type Ask, type Reply, type TestScope, testOrg } from '../support/ingress.ts'
import { testScratch as scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { type VideoStack, videoStack } from '../support/video-stack.ts'

/** Responds to requests for a page. */
export type Page = (req: IncomingMessage, res: ServerResponse) => void

/** The evidence part of the wiki: database, store, ingress, an organisation, a website, and workers once started. */
export interface EvidenceStack {
  base: VideoStack
  db: DatabasePool
  orgId: string
  keys: { main: string; reader: string }
  /** Pages of the site by path. A string is an HTML page. */
  pages: Record<string, Page | string>
  url(path: string): string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Sends a request that must succeed and returns the response body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  done(request: string, body?: unknown): Promise<any>
  /** Starts workers of the pool `web` in this process. */
  startWorkers(): Promise<void>
  /** Registers a page as a source and returns its ID. */
  source(path: string): Promise<string>
  /** Takes a snapshot of a source and waits until it ends. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  snapshot(sourceId: string): Promise<any>
  /** Waits until a snapshot has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  ended(snapshotId: string): Promise<any>
}

/** Reads pages like workers, but with a short time-out for pages that are longer than usual test pages. */
function testReader(): PageReader {
  const patient = createPageReader(scratch)
  const impatient = createPageReader(scratch, { timeout: 300 })
  return { read: (bytes, ...more) => (bytes.length > 2 * 1024 ** 2 ? impatient : patient).read(bytes, ...more) }
}

/** Starts everything except the workers. The test's teardown stops it. */
export async function evidenceStack(t: TestScope): Promise<EvidenceStack> {
  const pages: EvidenceStack['pages'] = {}
  const server = createServer((req, res) => {
    const page = pages[req.url ?? '']
    if (typeof page === 'function') page(req, res)
    else res.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const base = await videoStack(t, { areas: ['wiki'] })
  const { org, keys } = await testOrg(base.db, [], {
    keys: {
      main: { prefix: 'bt_live_', scopes: ['wiki:write'] },
      reader: { prefix: 'bt_live_', scopes: ['wiki:read'] },
    },
  })
  const ask: EvidenceStack['ask'] = (request, options) => base.ask(request, { key: keys.main, ...options })
  const done: EvidenceStack['done'] = async (request, body) => {
    const reply = await ask(request, body === undefined ? {} : { body })
    if (reply.status > 299) throw new Error(`${request}: ${reply.status} ${reply.text}`)
    return reply.body
  }
  const ended: EvidenceStack['ended'] = (id) =>
    until(
      async () => {
        const snapshot = await done(`GET /v1/wiki/snapshots/${id}`)
        return snapshot.status === 'pending' ? false : snapshot
      },
      { timeout: 90_000, what: `snapshot ${id} ends` },
    )
  return {
    base,
    db: base.db,
    orgId: org.id,
    keys,
    pages,
    ask,
    done,
    ended,
    url: (path) => site + path,
    async startWorkers() {
      const outbound = createOutboundClient({ allowed: ['127.0.0.1'] })
      const { metaRefresh, close } = createMetaRefreshReader()
      t.teardown(close)
      const pages = testReader()
      const tools = {
        outbound,
        pages,
        documents: createDocumentReader(pages, scratch),
        metaRefresh,
        storage: base.store.storage,
        scratch,
        openBucket: () => Promise.reject(new Error('No bucket is opened here.')),
      }
      const fleet = await startFleet(
        base.databaseUrl,
        [{ pool: 'web', settings: { concurrency: 4, fetchAhead: 0 }, tasks: getTasksOfPool('web'), tools }],
        { lease: 60_000, sweep: 200, grace: 1_000 },
        (why) => t.fail(why),
      )
      t.teardown(async () => {
        await fleet.stop()
        await outbound.close()
      })
    },
    source: async (path) => (await done('POST /v1/wiki/sources', { uri: site + path })).id,
    snapshot: async (sourceId) => ended((await done(`POST /v1/wiki/sources/${sourceId}/snapshots`, {})).id),
  }
}

/** Returns a page with these paragraphs in its article, surrounded by other page content. */
export const article = (paragraphs: string[], around = 'menu'): string => `<!doctype html>
  <html><head><title>A report</title><script>document.title = 'evil'</script></head><body><nav>${around}</nav>
  <article><h1>A report</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</article></body></html>`

/** A paragraph that is long enough to be detected as the main content of a page. */
export const filler =
  'The commission has looked at each of the figures, and at where they are from, and found them sound. '.repeat(4)
