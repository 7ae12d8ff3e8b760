import Koa from 'koa'
import type { Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import type { Area, Operation } from './area.ts'
import { cacheMs, createAuth } from './auth.ts'
import { sendProblemPage } from './browser-problem.ts'
import { type CellOptions, createCellRouting } from './cells/routing.ts'
import { type Check, databaseChecks } from './checks.ts'
import { combineContributions, consoleContents } from './console/contents.ts'
import { openServices, provide, type ServiceOverride, type Services } from './container.ts'
import { combineDashboard, dashboardContents } from './dashboard/contents.ts'
import { withAcquireTimeout } from './database/acquire-timeout.ts'
import { createCircuitBreaker } from './database/circuit-breaker.ts'
import { type GroupCommitSettings, groupCommitDefaults } from './database/group-commit.ts'
import { createOrgShares } from './database/org-shares.ts'
import { handleUnmatched } from './elsewhere.ts'
import { keyChanges } from './key-changes.ts'
import { createBacklog } from './limits/backlog.ts'
import { createLimiter } from './limits/rate-limits.ts'
import { answerProblems, assignRequestId, logRequest, type Sample } from './limits/requests.ts'
import { createSearches } from './limits/searches.ts'
import { createUnknownKeyLimit } from './limits/unknown-keys.ts'
import { createDocuments, listOperations } from './openapi/document.ts'
import { apiMethods } from './openapi/methods.ts'
import { createReads } from './replica/reads.ts'
import type { ReplicaOptions } from './replica/replica.ts'
import { createClients } from './request/client.ts'
import { createRequestLog, type RequestLogSettings } from './request-log/log.ts'
import type { Route } from './route.ts'
import { createRouter, serveRoutes } from './routing.ts'
import type { Runtime } from './runtime.ts'
import { createOperationHandler, type OperationHandler } from './serve.ts'
import {
  answerersByRoute,
  backlog,
  catalogue,
  checks,
  commonServices,
  documents,
  frontDoor,
  signingSecret,
  stopping,
  toolOperations,
} from './services.ts'
import { traceRequest } from './tracing.ts'

export interface AppOptions {
  db: DatabasePool
  areas: readonly Area[]
  services?: readonly ServiceOverride[]
  trustedProxies?: readonly string[]
  cells?: CellOptions | undefined
  keyCacheMs?: number
  groupCommit?: Partial<GroupCommitSettings>
  /** Timeout in milliseconds of requests that wait for a connection, and of the circuit breaker’s probe. */
  databaseTimeoutMs?: number
  searchConnections?: number
  replica?: ReplicaOptions | undefined
  observe?: (sample: Sample) => void
  requestLog?: Partial<RequestLogSettings> | false
  /** Called if an operation throws a problem that it does not declare. Default: log the problem. */
  undeclared?: Runtime['undeclared']
}

export interface App {
  callback: ReturnType<Koa['callback']>
  services: Services
  /** Connection pool for requests. After an outage of the database, the pool opens new connections. */
  db: DatabasePool
  close(): Promise<void>
}

export function createApp(options: AppOptions): App {
  const { areas } = options
  const pool = withAcquireTimeout(options.db, options.databaseTimeoutMs)
  const { db } = pool
  const takeUnknown = createUnknownKeyLimit()
  const auth = createAuth(db, options.keyCacheMs ?? cacheMs, {
    takeUnknown,
    cells: options.cells !== undefined,
    follow: onlyOnce(() => opened.services(keyChanges).follow(auth.forget)),
  })
  const searches = createSearches(options.db, options.searchConnections)
  const reads = createReads(options.db, searches, options.replica)
  const renew = async () => void (await Promise.all([pool.renew(), searches.renew()]))
  const { connectionUri } = options.db.configuration
  const breaker = createCircuitBreaker(connectionUri, { renew, servedAt: pool.servedAt }, options.databaseTimeoutMs)
  const requestLog = options.requestLog === false ? undefined : createRequestLog(options.db, options.requestLog)
  const observe = (sample: Sample) => {
    requestLog?.note(sample)
    options.observe?.(sample)
  }
  const backlogs = new BacklogSync(db)
  const admission = createBacklog(backlogs)
  const parts: Record<string, Check> = {}
  const byRoute = new Map<Route, OperationHandler>()
  const opened = openServices(
    db,
    [...commonServices, apiMethods, ...areas.flatMap(({ services = [] }) => services)],
    [
      provide(catalogue, listOperations(areas)),
      provide(consoleContents, combineContributions(areas.flatMap(({ console = [] }) => console))),
      provide(dashboardContents, combineDashboard(areas)),
      provide(answerersByRoute, byRoute),
      provide(backlog, admission),
      provide(
        toolOperations,
        areas.flatMap(({ operations }) => operations).filter(({ route }) => route.tool),
      ),
      provide(frontDoor, (req, res) => void callback(req, res)),
      provide(documents, createDocuments(areas)),
      ...(options.services ?? []),
      provide(checks, parts),
    ],
  )
  Object.assign(parts, databaseChecks(db), opened.checks())
  const secret = () => opened.services(signingSecret)
  const client = createClients(options.trustedProxies ?? [])
  const ground = { db, breaker, client, secret, takeUnknown, stopping: opened.services(stopping) }
  const routing = options.cells && createCellRouting(options.cells, ground)
  const runtime: Runtime = {
    db,
    guardedDb: breaker.guarded(db),
    auth,
    breaker,
    take: createLimiter(db),
    client: routing?.client ?? client,
    services: opened.services,
    signingSecret: secret,
    customHosts: areas.flatMap(({ customHosts }) => (customHosts ? opened.services(customHosts) : [])),
    searches,
    reads,
    shares: createOrgShares(db),
    groupCommit: { ...groupCommitDefaults, ...options.groupCommit },
    backlog: admission,
    undeclared: options.undeclared ?? warnOfUndeclared,
  }
  const operations = areas.flatMap((area) => area.operations).sort(bySpecificity)
  const answerers = new Map(operations.map((operation) => [operation, createOperationHandler(operation, runtime)]))
  for (const [{ route }, answerer] of answerers) byRoute.set(route, answerer)
  const router = createRouter(answerers)

  const koa = new Koa()
  koa.on('error', (err) => log.debug({ err }, 'connection ended before the response'))
  koa.use(assignRequestId)
  koa.use(traceRequest)
  koa.use(logRequest(observe))
  koa.use(answerProblems(sendProblemPage))
  if (routing) koa.use(routing.route)
  koa.use(serveRoutes(router))
  koa.use((ctx) => handleUnmatched(ctx, router, operations))

  const callback = koa.callback()
  return {
    callback,
    services: opened.services,
    db,
    async close() {
      await routing?.close()
      await requestLog?.close()
      await auth.flush()
      await backlogs.stop()
      await breaker.stop()
      await opened.close()
      await reads.end()
      await searches.end()
      await pool.end()
    },
  }
}

function onlyOnce(run: () => unknown): () => void {
  let done = false
  return () => {
    if (!done) run()
    done = true
  }
}

function warnOfUndeclared({ id }: Operation, { code }: Problem): void {
  log.warn({ operation: id, code }, 'undeclared problem')
}

/** Sorts `/bots/templates` before `/bots/{slug}`, regardless of the order in which they are declared. */
function bySpecificity(a: Operation, b: Operation): number {
  const key = (path: string) => path.replace(/\{\w+\}/g, '\uffff')
  return key(a.path) < key(b.path) ? -1 : 1
}
