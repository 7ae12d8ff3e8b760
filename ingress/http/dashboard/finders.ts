import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Permission } from '#tasks/account/rules/roles.ts'
import type { Services } from '../container.ts'

export interface Found {
  title: string
  /** What was found, for example “Room”. */
  kind: string
  href: string
}

interface Asked {
  db: DatabasePool
  services: Services
  orgId: string
  text: string
}

/** What an area adds to the search of the dashboard. Members find only what their role can view. */
export interface Finder {
  permission?: Permission
  find(asked: Asked): Promise<readonly Found[]>
}

/**
 * Declares a finder of one kind of objects by ID. `find` returns an object of the organisation, or null. Its name is
 * the title, or the kind with the start and end of the ID.
 */
export function findById(
  kind: string,
  path: string,
  find: (db: DatabasePool, orgId: string, id: string) => Promise<unknown>,
  { permission, name }: { permission?: Permission; name?: string } = {},
): Finder {
  return {
    ...(permission && { permission }),
    async find({ db, orgId, text }) {
      const id = Id.safeParse(text)
      const found = id.success && ((await find(db, orgId, id.data)) as Record<string, unknown> | null)
      if (!found) return []
      const named = name === undefined ? undefined : found[name]
      const title = typeof named === 'string' && named !== '' ? named : `${kind} ${text.slice(0, 8)}…${text.slice(-4)}`
      return [{ title, kind, href: `${path}/${text}` }]
    },
  }
}
