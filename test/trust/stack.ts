import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutboundClient } from '#lib/http.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as feeds from '#sql/trust/feeds.ts'
import type { Tools } from '#tasks/pools.ts'
import { confirmHashes } from '#tasks/trust/confirm-hashes.ts'
import { expand } from '#tasks/trust/expand.ts'
import { importFeed } from '#tasks/trust/import.ts'
import { refresh } from '#tasks/trust/refresh.ts'
import { importNow } from '#tasks/trust/rules/import-now.ts'
import { watch } from '#tasks/trust/watch.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { createMetaRefreshReader } from '../../workers/web/meta-refresh.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** What the server of feeds answers. */
export type Answer = string | Buffer | ((req: IncomingMessage, res: ServerResponse) => void)

/** A server of feeds and redirects on loopback. */
export interface Web {
  url: string
  /** What it was asked for, in order. */
  seen: IncomingMessage[]
  /** What it answers at a path. */
  at: Record<string, Answer>
}

/** The trust area on a database of its own. */
export interface TrustStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  orgId: string
  key: string
  web: Web
  ask(request: string, options?: Ask): Promise<Reply>
  check(url: string, more?: object): Promise<Reply['body']>
  /** Starts a worker of the area's tasks in this process; it goes with the test. */
  startWorker(): Promise<void>
  /** Adds a feed that is fetched from a path of `web`, or changes it. */
  put(name: string, facts?: Partial<feeds.NewFeed>): Promise<void>
  /** Has a feed imported; returns it afterwards. */
  imported(name: string, anyway?: boolean): Promise<feeds.Feed>
}

const defaults = { kind: 'list', category: 'malware', every_seconds: 3600, stale_after_seconds: 7200 } as const

/** Starts all but the worker; everything goes with the test. */
export async function trustStack(t: TestScope, areas: readonly string[] = []): Promise<TrustStack> {
  const [{ db, url: databaseUrl }, web] = await Promise.all([testDatabase(t), startWeb(t)])
  const ingress = await testIngress(t, db, [], { only: ['trust', ...areas] })
  const { org, keys } = await testOrg(db, ['trust:read', 'trust:write'])
  const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.main, ...options })
  const find = async (name: string) => (await feeds.findByName(db, name)) as feeds.Feed
  return {
    db,
    databaseUrl,
    ingress,
    web,
    ask,
    orgId: org.id,
    key: keys.main,
    async check(url, more = {}) {
      const { status, body, text } = await ask('POST /v1/trust/check-url', { body: { url, ...more } })
      if (status !== 200) throw new Error(`${url}: ${status} ${text}`)
      return body
    },
    async startWorker() {
      const { metaRefresh, close } = createMetaRefreshReader()
      t.teardown(close)
      const plan = {
        pool: 'web' as const,
        settings: { concurrency: 4, fetchAhead: 0, share: { perOrganisation: 1 / 4 } },
        // Without their clock: a test says when.
        tasks: [importFeed, expand, confirmHashes, { ...refresh, cron: undefined }, { ...watch, cron: undefined }],
        tools: { outbound: createOutboundClient({ allowed: ['127.0.0.1'] }), metaRefresh } as Tools['web'],
      }
      const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => {})
      t.teardown(() => fleet.stop())
    },
    put: async (name, facts = {}) =>
      void (await feeds.put(db, { ...defaults, name, url: `${web.url}/${name}`, ...facts })),
    async imported(name, anyway = false) {
      const run = await importNow(db, name, { actor: 'a test', anyway })
      await until(() => isOver(db, run as string), { what: `${name} is imported` })
      return await find(name)
    },
  }
}

const isOver = (db: DatabasePool, run: string) =>
  db.exists(sql.typeAlias('void')`select from jobs.runs where id = ${run} and finished_at is not null`)

async function startWeb(t: Scope): Promise<Web> {
  const web: Web = { url: '', seen: [], at: {} }
  const server = createServer((req, res) => {
    web.seen.push(req)
    const answer = web.at[(req.url ?? '').split('?')[0]?.slice(1) ?? '']
    if (answer === undefined) res.writeHead(404).end()
    else if (typeof answer === 'function') answer(req, res)
    else res.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  web.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return web
}

/** Lines of a list with so many made-up hosts. */
export const hosts = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, i) => `host-${from + i}.example\n`).join('')
