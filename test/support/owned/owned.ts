import type { DatabasePool } from '#sql/db.ts'
import type { testOrg } from '../ingress.ts'

/** How an area's makers make what they make. */
export interface Making {
  /** Makes it by a request of the owner and returns a field of the answer, `id` unless said. */
  make(request: string, body: unknown, id?: string): Promise<string>
  db: DatabasePool
  owner: Awaited<ReturnType<typeof testOrg>>
}

/** What an organisation has in an area, by the collection that leads to it, and bodies of the operations that demand one. */
export type Owned = (making: Making) => {
  made: Record<string, () => Promise<string>>
  bodies: Record<string, unknown>
  /** Operations that show everyone what is public. */
  anyones?: string[]
}
