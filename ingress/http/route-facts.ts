import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { Area as UploadArea } from '#sql/account/upload-tokens.ts'
import type { LockRules } from '#tasks/account/rules/locks.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import type { ConcurrencyLimit } from './limits/at-once.ts'
import type { DeclaredProblem } from './problem-kinds.ts'
import type { Tool } from './tool.ts'

export interface RouteLimit {
  perMinute: number
  by: 'key' | 'org' | 'ip'
  /** Replaces the limits of the key and the plan, instead of adding to them. */
  alone?: true
}

export type BodyReader = (text: string, query: URLSearchParams, orgId: string) => unknown

export interface RouteFacts {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  description?: string
  /** Maximum size of a body in bytes. Default: 1 MiB, or 16 KiB if the route needs no key or accepts public keys. */
  bodyLimit?: number
  /**
   * Ignores unknown query parameters instead of rejecting them. Use it for links, because email clients, sites and
   * caches add parameters. Do not use it for routes that need a key.
   */
  ignoresOtherQuery?: true
  /**
   * Body types that are accepted in addition to JSON. The reader converts UTF-8 text to the value that `body`
   * describes. Work that takes more than a few milliseconds runs in a thread, within the organisation’s share.
   */
  alsoTakes?: Readonly<Record<string, BodyReader>>
  /**
   * Name of the list in the body whose items get separate results. Text that cannot be stored does not make the whole
   * body invalid. Instead, the route checks each item with `checkText`.
   */
  itemsApart?: string
  /**
   * Also accepts JSON with the type `text/plain`. A web page’s `navigator.sendBeacon` sends this type without a
   * preflight.
   */
  beacon?: boolean
  status: number
  /** Additional problems. Problems such as bad_request, unauthorized and rate_limited follow from the declaration. */
  problems?: readonly DeclaredProblem[]
  headers?: Readonly<Record<string, string>>
  /** Adds an `ETag` to responses. A caller that has the current version gets 304 (RFC 9110 §13.1.2). */
  etag?: boolean
  /**
   * True for a POST that can be repeated safely. Clients then retry it after an error. For other methods, the method
   * determines this.
   */
  repeatable?: true
  /** An additional limit. `false` also disables the limits of the key and the plan. */
  limit?: RouteLimit | false
  /** Maximum number of concurrent requests in this process, for routes with large bodies. Further requests get 429. */
  atOnce?: ConcurrencyLimit
  /** Runs on the search connections when it is the organisation’s turn. Each statement must end within a second. */
  search?: true
  /**
   * The route only reads. If there is a standby (`DATABASE_REPLICA_URL`), the read runs there and includes all earlier
   * commits of the primary. The code can run twice, so it must only read from `db`.
   */
  reads?: 'replica'
  /**
   * Access of test keys. `sandbox`: the route reads and changes only test data. `shared`: the route changes nothing,
   * and reads only public data or settings that also apply to test keys. If it is omitted, test keys are rejected.
   */
  testKeys?: 'sandbox' | 'shared'
  /**
   * Key locks that the route checks. Other locks have no effect on the route. If it is omitted, keys with locks are
   * rejected.
   */
  locks?: LockRules
  /** Public (`bt_site_`) keys can call the route from web pages on other origins. */
  site?: boolean
  /** Accepts upload tokens instead of a key. The value is the name of the path parameter with the upload’s ID. */
  uploadToken?: string
  /** Accepts tokens of web pages that start uploads in this area instead of a key. */
  startToken?: UploadArea
  cors?: boolean
  /**
   * The task whose jobs the route adds. If the organisation has reached its `waiting_jobs` limit in the task’s pool,
   * requests get 429. Do not use it for routes that release held jobs.
   */
  enqueues?: Pick<AnyTask, 'pool'>
  streams?: true
  /** The route is also available on customers’ domains, because viewers need it. */
  viewers?: boolean
  /** The route delivers files. It is also available on the host of files. */
  delivers?: boolean
  /** The route is not part of the API. It is omitted from the catalogue and the documents. */
  hidden?: boolean
  beyondContract?: boolean
  /** Language models can call the route through the MCP server. */
  tool?: Tool
  withoutDatabase?: boolean
  problemBody?: (problem: Problem, requestId: string) => object
  renderProblem?: (ctx: Context, problem: Problem) => void
  example?: { body?: unknown; reply?: unknown }
}
