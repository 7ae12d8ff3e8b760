import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { CustomHosts, Operation } from './area.ts'
import type { Auth } from './auth.ts'
import type { Services } from './container.ts'
import type { CircuitBreaker } from './database/circuit-breaker.ts'
import type { GroupCommitSettings } from './database/group-commit.ts'
import type { OrgShares } from './database/org-shares.ts'
import type { Backlog } from './limits/backlog.ts'
import type { Bucket } from './limits/buckets.ts'
import type { RateLimitStatus } from './limits/rate-limits.ts'
import type { Searches } from './limits/searches.ts'
import type { Reads } from './replica/reads.ts'
import type { Client } from './request/client.ts'

/** What all operations of a process share. */
export interface Runtime {
  db: DatabasePool
  /** The same pool for routes that answer while the database is away. */
  guardedDb: DatabasePool
  auth: Auth
  take: (buckets: Bucket[]) => Promise<RateLimitStatus | undefined>
  client: (req: Context['req']) => Client
  breaker: CircuitBreaker
  services: Services
  /** What upload tokens are signed with; asked for by the first that comes. */
  signingSecret: () => string
  customHosts: readonly CustomHosts[]
  groupCommit: GroupCommitSettings
  searches: Searches
  /** The share of the connections that each organisation's requests have. */
  shares: OrgShares
  /** Where reads are done that declare `reads: 'replica'`. */
  reads: Reads
  backlog: Backlog
  /** Told of a problem that an operation's code throws and its declaration does not name. */
  undeclared: (operation: Operation, problem: Problem) => void
}
