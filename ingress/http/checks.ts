import { unavailable } from '#lib/errors.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { listPendingMigrations } from '#sql/migrate.ts'

const timeoutMs = 800

/** Checks a required service. Resolves if the service is available, otherwise rejects with the reason. */
export type Check = (signal: AbortSignal) => Promise<unknown>

export type PartState = 'ok' | 'away'

export function databaseChecks(db: DatabasePool): Record<string, Check> {
  return {
    database: () => db.query(sql.typeAlias('void')`select`),
    migrations: async () => {
      const pending = await listPendingMigrations(db)
      if (pending.length > 0) throw new Error(`not run yet: ${pending.join(', ')}`)
    },
  }
}

/**
 * Returns the state of all services. Each check has a timeout of one second. Throws 503 with all states if one service
 * is unavailable.
 */
export async function getServiceStates(
  checks: Readonly<Record<string, Check>>,
  names: readonly string[] = Object.keys(checks),
): Promise<Record<string, PartState>> {
  const known = names.filter((name) => checks[name] !== undefined)
  const states = await Promise.all(known.map(async (name) => [name, await stateOfPart(checks[name] as Check)] as const))
  const parts = Object.fromEntries(states)
  const away = known.filter((name) => parts[name] === 'away')
  if (away.length > 0) throw unavailable(`Temporarily unavailable: ${away.join(', ')}.`, 1, parts)
  return parts
}

async function stateOfPart(check: Check): Promise<PartState> {
  const late = new AbortController()
  const { promise: away, resolve } = Promise.withResolvers<PartState>()
  const timer = setTimeout(() => {
    late.abort()
    resolve('away')
  }, timeoutMs)
  const asked = check(late.signal).then(
    (): PartState => 'ok',
    (): PartState => 'away',
  )
  try {
    return await Promise.race([asked, away])
  } finally {
    clearTimeout(timer)
  }
}
