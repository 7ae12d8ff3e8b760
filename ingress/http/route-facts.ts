import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { LockRules } from '#tasks/account/rules/locks.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import type { ConcurrencyLimit } from './limits/at-once.ts'
import type { DeclaredProblem } from './problem-kinds.ts'

export interface RouteLimit {
  perMinute: number
  by: 'key' | 'org' | 'ip'
}

export type BodyReader = (text: string, query: URLSearchParams, orgId: string) => unknown

export interface RouteFacts {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  description?: string
  /**
   * Maximum bytes of a body. Default: 1 MiB, and 16 KiB if anyone can send one: without a key, or with a public key.
   */
  bodyLimit?: number
  /**
   * Ignores unknown query parameters instead of rejecting them. For links, to which email clients, sites and caches add
   * parameters. Not for routes with a key.
   */
  ignoresOtherQuery?: true
  /**
   * Further body types in addition to JSON. Each UTF-8 text is converted to the value that `body` describes. Work of
   * more than some milliseconds runs in a thread, within the organisation’s share.
   */
  alsoTakes?: Readonly<Record<string, BodyReader>>
  /**
   * The list in the body whose items get individual results. Text that cannot be stored is not a fault of the body, and
   * the route checks each item with `checkText`.
   */
  itemsApart?: string
  /** Also accepts JSON with the type `text/plain`, which a page’s `navigator.sendBeacon` sends without a preflight. */
  beacon?: boolean
  status: number
  /** Additional problems. Some problems follow from the declaration (bad_request, unauthorized, rate_limited, …). */
  problems?: readonly DeclaredProblem[]
  headers?: Readonly<Record<string, string>>
  /** Responses have an `ETag`. A caller with the current version gets 304 (RFC 9110 §13.1.2). */
  etag?: boolean
  /**
   * A POST that can be repeated safely, so clients retry it after an error. For other methods this follows from the
   * method.
   */
  repeatable?: true
  /** An additional limit. `false` also disables the key’s and the plan’s limits. */
  limit?: RouteLimit | false
  /** Maximum number of concurrent requests in this process, for routes with large bodies. Further requests get 429. */
  atOnce?: ConcurrencyLimit
  /** Runs on the search connections in the organisation’s turn. Each statement must end within a second. */
  search?: true
  /**
   * Only reads. If there is a standby (`DATABASE_REPLICA_URL`), it does the read and includes all earlier commits of
   * the primary. The code can run twice, so it must only read from `db`.
   */
  reads?: 'replica'
  /**
   * Access of test keys. `sandbox`: reads and changes only test data. `shared`: changes nothing, and reads only public
   * data or settings that also apply to test keys. Without it, test keys are rejected.
   */
  testKeys?: 'sandbox' | 'shared'
  /** The key locks that the route checks. Other locks do not affect it. Without it, keys with locks are rejected. */
  locks?: LockRules
  /** Public (`bt_site_`) keys can call it from pages on other origins. */
  site?: boolean
  /** Upload tokens are accepted instead of a key. The value is the path parameter of the upload. */
  uploadToken?: string
  cors?: boolean
  /**
   * The task whose jobs it adds. If the organisation’s `waiting_jobs` limit is reached in the task’s pool, requests get
   * 429. Not for routes that release held jobs.
   */
  enqueues?: Pick<AnyTask, 'pool'>
  streams?: true
  /** Viewers need it, so it is also served on customers’ domains. */
  viewers?: boolean
  /** Not part of the API: omitted from catalogue and documents. */
  hidden?: boolean
  beyondContract?: boolean
  withoutDatabase?: boolean
  problemBody?: (problem: Problem, requestId: string) => object
  renderProblem?: (ctx: Context, problem: Problem) => void
  example?: { body?: unknown; reply?: unknown }
}
