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

export interface Runtime {
  db: DatabasePool
  guardedDb: DatabasePool
  auth: Auth
  take: (buckets: Bucket[]) => Promise<RateLimitStatus | undefined>
  client: (req: Context['req']) => Client
  breaker: CircuitBreaker
  services: Services
  signingSecret: () => string
  customHosts: readonly CustomHosts[]
  groupCommit: GroupCommitSettings
  searches: Searches
  shares: OrgShares
  reads: Reads
  backlog: Backlog
  undeclared: (operation: Operation, problem: Problem) => void
}
