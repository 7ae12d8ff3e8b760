import { join } from 'node:path'
import type { OutboundClient } from '#lib/http.ts'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as sources from '#sql/erp/sources.ts'
import { fetchSource } from '#tasks/erp/fetch.ts'
import { importCompanies } from '#tasks/erp/import.ts'
import { refreshSources } from '#tasks/erp/refresh.ts'
import type { ProfileName } from '#tasks/erp/rules/profiles/index.ts'
import { fetchNow } from '#tasks/erp/rules/source-controls.ts'
import { startImport } from '#tasks/erp/rules/start-import.ts'
import { tellChanges } from '#tasks/erp/tell-changes.ts'
import { tellWatchers } from '#tasks/erp/tell-watchers.ts'
import type { Tools } from '#tasks/pools.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { openScratch } from '../../workers/media/scratch.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { type TestStore, testStore } from '../support/video-stack.ts'

/** What an import is told beside its file and profile. */
type Given = Partial<imports.Options> & { register?: string }

/** The erp area on a database and a store of its own. */
export interface ErpStack {
  db: DatabasePool
  databaseUrl: string
  store: TestStore
  ingress: TestIngress
  ask(request: string, options?: Ask): Promise<Reply>
  /** Searches; throws for an answer that is no success. */
  search(query: Record<string, string>): Promise<Reply['body']>
  /** The names that a search for `q` finds, in order. */
  names(q: string, more?: Record<string, string>): Promise<string[]>
  orgId: string
  /** Starts a worker; with `outbound` it fetches sources to a folder in `data`, without their clock. */
  startWorker(fetching?: { outbound: OutboundClient; data: string }): Promise<void>
  /** Has a file imported; its id. */
  start(path: string, profile: ProfileName, given?: Given): Promise<string>
  ended(id: string): Promise<imports.Import>
  imported(path: string, profile: ProfileName, given?: Given): Promise<imports.Import>
  /** Adds a source, or changes it, which is due at no time. */
  put(name: string, facts: Partial<sources.NewSource> & { url: string }): Promise<sources.Source>
  /** Has a source fetched, and its file imported if it is another; how both are afterwards. */
  fetched(name: string): Promise<{ source: sources.Source; last: imports.Import | null }>
}

/** Starts all but the worker; everything goes with the test. */
export async function erpStack(t: TestScope): Promise<ErpStack> {
  const [{ db, url: databaseUrl }, store] = await Promise.all([testDatabase(t), testStore(t)])
  const ingress = await testIngress(t, db, [], {
    only: ['erp', 'console', 'account'],
    services: [provide(signingSecret, 's'.repeat(32))],
  })
  const { keys, org } = await testOrg(db, ['erp:read', 'account:webhooks'])
  const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.main, ...options })
  const search = async (query: Record<string, string>) => {
    const { status, body, text } = await ask(`GET /v1/erp/companies?${new URLSearchParams(query)}`)
    if (status !== 200) throw new Error(`${JSON.stringify(query)}: ${status} ${text}`)
    return body
  }
  const start: ErpStack['start'] = (path, profile, { register, ...options } = {}) =>
    startImport(db, store.storage, {
      path,
      profile,
      register,
      actor: 'a test',
      options: { partial: false, anyway: false, ...options },
    })
  const ended = (id: string) =>
    until(
      async () => {
        const one = await imports.find(db, id)
        return one?.state !== 'waiting' && one
      },
      { what: `import ${id} has ended` },
    )
  return {
    db,
    databaseUrl,
    store,
    ingress,
    ask,
    search,
    start,
    ended,
    names: async (q, more = {}) => (await search({ q, ...more })).data.map(({ name }: { name: string }) => name),
    orgId: org.id,
    async startWorker(fetching) {
      const { storage } = store
      const scratch = fetching && (await openScratch(join(fetching.data, 'web-scratch'), storage, async () => []))
      const plan = {
        pool: 'web' as const,
        settings: { concurrency: 2, fetchAhead: 0 },
        tasks: [importCompanies, fetchSource, tellChanges, tellWatchers, { ...refreshSources, cron: undefined }],
        tools: { storage, ...(fetching && { outbound: fetching.outbound, scratch }) } as unknown as Tools['web'],
      }
      const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => {})
      t.teardown(async () => {
        await fleet.stop()
        await scratch?.close()
      })
    },
    imported: async (path, profile, given) => await ended(await start(path, profile, given)),
    async put(name, facts) {
      const about = { name, profile: 'generic', register: name, options: { partial: false, anyway: false } }
      const source = { ...about, every_seconds: 86_400, most_bytes: 2 ** 30, id: newId(), ...facts }
      const kept = await sources.put(db, source)
      await db.query(
        sql.typeAlias('void')`update erp.sources set next_at = now() + interval '100 days' where id = ${kept.id}`,
      )
      return kept
    },
    async fetched(name) {
      const run = await fetchNow(db, name, 'a test')
      await until(() => isOver(db, run ?? ''), { what: `${name} is fetched` })
      const found = await sources.findByName(db, name)
      if (found === null) throw new Error(`There is no source ${name}.`)
      const last = found.import_id === null ? null : await ended(found.import_id)
      return { source: (await sources.findByName(db, name)) ?? found, last }
    },
  }
}

const isOver = (db: DatabasePool, run: string) =>
  db.exists(sql.typeAlias('void')`select from jobs.runs where id = ${run} and finished_at is not null`)
