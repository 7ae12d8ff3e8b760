import type { DatabasePool } from '#sql/db.ts'
import type { testOrg } from '../ingress.ts'

/** Functions that create an organisation’s objects. */
export interface Making {
  /** Sends the owner’s request and returns a field of the response. Default: `id`. */
  make(request: string, body: unknown, id?: string): Promise<string>
  db: DatabasePool
  owner: Awaited<ReturnType<typeof testOrg>>
}

/** Objects of an organisation in an area, by their collection, and bodies of operations that require one. */
export type Owned = (making: Making) => {
  made: Record<string, () => Promise<string>>
  bodies: Record<string, unknown>
  /** Operations that show public data to everyone. */
  anyones?: string[]
}
