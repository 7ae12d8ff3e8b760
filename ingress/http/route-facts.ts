import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { LockRules } from '#tasks/account/rules/locks.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import type { AtOnce } from './limits/at-once.ts'
import type { DeclaredProblem } from './problem-kinds.ts'

/** A limit of a route beside its key's and plan's: requests a minute by key, organisation or client address. */
export interface RouteLimit {
  perMinute: number
  by: 'key' | 'org' | 'ip'
}

/** Reads the text of a body that is no JSON; `orgId` is empty without a key. */
export type BodyReader = (text: string, query: URLSearchParams, orgId: string) => unknown

/** What is declared of a route beside its schemas and code. */
export interface RouteFacts {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the area's base path, with `{names}` in braces. */
  path: string
  summary: string
  description?: string
  /** Bytes a body may have; unless said 1 MiB, and 16 KiB where anybody may send one: without a key, or with a public one. */
  bodyLimit?: number
  /**
   * Parameters of the query that it does not name are ignored, not refused: for what people reach by links, to which mail
   * programs, sites and caches add marks of their own. Not for routes with a key.
   */
  ignoresOtherQuery?: true
  /**
   * Types of bodies that it takes beside JSON: each text, in UTF-8, is read into the value that `body` describes, as the query says. What
   * takes more than some milliseconds is read in a thread, in the share of the organisation that sends it.
   */
  alsoTakes?: Readonly<Record<string, BodyReader>>
  /**
   * The list of its body whose items it answers one by one: text that cannot be stored is no fault of the body, and the route checks
   * each item by `checkText`.
   */
  itemsApart?: string
  /** Takes JSON labelled `text/plain` too, as a page's `navigator.sendBeacon` sends it without a preflight. */
  beacon?: boolean
  /** The one success status. */
  status: number
  /** Problems it throws beside those that follow from the declaration (bad_request, unauthorized, rate_limited, …). */
  problems?: readonly DeclaredProblem[]
  /** Response headers that `set` may set, and what each says. */
  headers?: Readonly<Record<string, string>>
  /** Its answers carry an `ETag`: a caller who has one already is answered 304 (RFC 9110 §13.1.2). */
  etag?: boolean
  /** A POST that made twice is as good as made once, so that clients send it again after a fault; other methods say it themselves. */
  repeatable?: true
  /** One more limit; `false` frees the route from the key's and the plan's too. */
  limit?: RouteLimit | false
  /** How many requests this process has of it at once, for a route with a key whose bodies are large; more are refused with 429. */
  atOnce?: AtOnce
  /** It looks through much: it runs on the connections of searches, in its organisation's turn, each statement within a second. */
  search?: true
  /**
   * It only reads: a standby does it where there is one (`DATABASE_REPLICA_URL`), which shows all that the primary had committed
   * when the request came. Its code may be run twice, so it does nothing but read by `db`.
   */
  reads?: 'replica'
  /**
   * What test keys get. `sandbox`: it reads and changes rows of test mode alone. `shared`: it changes nothing, and reads no more than
   * public data, or settings by which test keys send, too. Without it, test keys are refused.
   */
  testKeys?: 'sandbox' | 'shared'
  /** The locks of keys that it compares with what a request is about; others do not concern it. Without it, locked keys are refused. */
  locks?: LockRules
  /** Public (`bt_site_`) keys may call it, from pages on other origins. */
  site?: boolean
  /** An upload's token opens it in place of a key: the parameter of its path that names the upload. */
  uploadToken?: string
  /** Pages on any origin may call it. */
  cors?: boolean
  /**
   * The task whose jobs it adds: a request of an organisation that has its plan's `waiting_jobs` waiting in that task's pool
   * is refused with 429. Not for routes that free what is held.
   */
  enqueues?: Pick<AnyTask, 'pool'>
  /** Answers with server-sent events, too, for those who ask for them. */
  streams?: true
  /** Viewers need it: it is served on customers' own domains, too, where nothing else is. */
  viewers?: boolean
  /** No operation of the API: left out of catalogue and documents. */
  hidden?: boolean
  /** Beyond the area's published contract: left out of the area's own document, not of the whole one. */
  beyondContract?: boolean
  /** Answers while the database is away, as far as it can by what it remembers; such a route takes no key. */
  withoutDatabase?: boolean
  /** The body of a problem, where clients of another API read it. */
  problemBody?: (problem: Problem, requestId: string) => object
  /** Renders a problem as a page for people, in place of the JSON body; the status is set already. */
  renderProblem?: (ctx: Context, problem: Problem) => void
  /** An example body and answer for the documents. */
  example?: { body?: unknown; reply?: unknown }
}
