import Router from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import { config } from '#lib/config.ts'
import { createCountries } from '#lib/country.ts'
import { createDns } from '#lib/dns.ts'
import { Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { maskText } from '#lib/mask-text.ts'
import type { DatabasePool } from '#sql/db.ts'
import { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { createDomains, type Domains } from '../video/served-domains.ts'
import type { Area, Operation } from './area.ts'
import { cacheMs, createAuth } from './auth.ts'
import { createBacklog } from './backlog.ts'
import { checksOf } from './checks.ts'
import { createClients } from './client.ts'
import { type GroupSettings, groupDefaults } from './group.ts'
import { createLimiter } from './limits.ts'
import { createDocuments, listed } from './openapi.ts'
import { patient } from './patience.ts'
import { createQuestions } from './questions.ts'
import { answerProblems, identify, report, type Sample } from './requests.ts'
import { createSentinel } from './sentinel.ts'
import { type Runtime, serve } from './serve.ts'
import type { Services } from './services.ts'
import { traced } from './tracing.ts'

/** What an ingress is made of. */
export interface AppOptions {
  db: DatabasePool
  areas: readonly Area[]
  services?: Partial<Services>
  trustedProxies?: readonly string[]
  /** Milliseconds for which a looked-up key is believed. */
  keyCacheMs?: number
  groups?: Partial<GroupSettings>
  /** Milliseconds that requests wait for a connection, and the database may take for a sign of life. */
  patienceMs?: number
  observe?: (sample: Sample) => void
}

/** An ingress without its listening socket. */
export interface App {
  callback: ReturnType<Koa['callback']>
  /** The host names of customers. */
  domains: Domains
  /** Writes down what is still unwritten. */
  close(): Promise<void>
}

/** Builds the ingress: its middleware from the outside in, then one function per operation. */
export function createApp(options: AppOptions): App {
  const { areas } = options
  const pool = patient(options.db, options.patienceMs)
  const { db } = pool
  const catalogue = listed(areas)
  const auth = createAuth(db, options.keyCacheMs ?? cacheMs)
  const questions = createQuestions(db)
  const sentinel = createSentinel(options.db.configuration.connectionUri, pool, options.patienceMs)
  const backlogs = new BacklogSync(db)
  const domains = createDomains(options.db, () => runtime.services.signingSecret)
  const runtime: Runtime = {
    db,
    auth,
    sentinel,
    take: createLimiter(db),
    client: createClients(options.trustedProxies ?? []),
    services: {
      get storage(): never {
        throw new Error('This ingress was given no storage.')
      },
      get signingSecret(): never {
        throw new Error('This ingress was given no signing secret.')
      },
      countryOf: createCountries(config.GEO_MMDB_PATH),
      domains,
      dns: createDns(),
      ask: questions.ask,
      stopping: new AbortController().signal,
      catalogue: () => catalogue,
      document: createDocuments(areas),
      ...options.services,
      checks: { ...checksOf(db), ...options.services?.checks },
    },
    groups: { ...groupDefaults, ...options.groups },
    backlog: createBacklog(backlogs),
  }
  const operations = areas.flatMap((area) => area.operations).sort(bySpecificity)
  const router = createRouter(operations, runtime)

  const koa = new Koa()
  koa.on('error', (err) => log.debug({ err }, 'the connection ended before the answer did'))
  koa.use(identify)
  koa.use(traced)
  koa.use(report(options.observe))
  koa.use(answerProblems)
  koa.use(router.routes() as Middleware)
  koa.use((ctx) => answerElsewhere(ctx, router, operations))

  return {
    callback: koa.callback(),
    domains,
    async close() {
      await auth.flush()
      await backlogs.stop()
      await sentinel.stop()
      await questions.close()
      await domains.close()
      await pool.end()
    },
  }
}

function createRouter(operations: readonly Operation[], runtime: Runtime): Router {
  const router = new Router({ sensitive: true })
  for (const operation of operations) {
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1')
    router.register(path, [operation.route.method], serve(operation, runtime), { name: operation.id })
  }
  return router
}

/** `/bots/templates` comes before `/bots/{slug}`, whatever order they are declared in. */
function bySpecificity(a: Operation, b: Operation): number {
  const key = (path: string) => path.replace(/\{\w+\}/g, '\uffff')
  return key(a.path) < key(b.path) ? -1 : 1
}

/** Answers OPTIONS, other methods of paths that exist (405), and paths that do not (404). */
function answerElsewhere(ctx: Context, router: Router, operations: readonly Operation[]): void {
  const layers = router.match(ctx.path, ctx.method).path
  if (layers.length === 0) {
    throw new Problem(404, 'not_found', `No such path: ${maskText(ctx.path)}. What there is: /docs`)
  }
  const methods = [...new Set(layers.flatMap((layer) => layer.methods)), 'OPTIONS'].join(', ')
  ctx.set('allow', methods)
  if (ctx.method !== 'OPTIONS') {
    throw new Problem(405, 'method_not_allowed', `${ctx.method} is not allowed here; allowed: ${methods}.`)
  }
  const names = new Set(layers.map((layer) => layer.name))
  if (operations.some(({ id, route }) => names.has(id) && (route.cors || route.site))) allowPages(ctx, methods)
  ctx.status = 204
}

/** Answers a browser's preflight (Fetch standard §3.3.3). */
function allowPages(ctx: Context, methods: string): void {
  ctx.set('access-control-allow-origin', '*')
  ctx.set('access-control-allow-methods', methods)
  ctx.set(
    'access-control-allow-headers',
    'authorization, content-type, idempotency-key, x-request-id, x-api-key, range',
  )
  ctx.set('access-control-max-age', '7200')
}
