import { z } from 'zod'
import { config } from '#lib/config.ts'
import { type Db, sql } from '#sql/db.ts'
import { duration } from '../output.ts'
import { readBackupInfo, type Stanza } from './backup-info.ts'
import { type Finding, fault, well } from './finding.ts'

const Row = z.object({
  mode: z.string(),
  timeout: z.coerce.number(),
  segment: z.coerce.number(),
  current: z.string().nullable(),
  archived: z.string().nullable(),
  age: z.coerce.number().nullable(),
  failed: z.string().nullable(),
  fails: z.boolean(),
})

/**
 * Checks whether the log reaches the repository, according to Postgres and pgBackRest. If a host is lost, the log after
 * the last archived segment is lost too.
 */
export async function checkArchive(db: Db): Promise<Finding[]> {
  const stanza = config.BACKUP_STANZA
  return stanza ? [await evaluateArchive(db, stanza, config, readBackupInfo)] : []
}

export async function evaluateArchive(
  db: Db,
  stanza: string,
  limits: Pick<typeof config, 'BACKUP_LOG_MAX_AGE_MINUTES'>,
  ask: (stanza: string) => Promise<Pick<Stanza, 'archive'>>,
): Promise<Finding> {
  const row = await db.one(sql.type(Row)`
    select current_setting('archive_mode') as mode, extract(epoch from current_setting('archive_timeout')::interval) as timeout,
      pg_size_bytes(current_setting('wal_segment_size')) as segment,
      case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as current,
      last_archived_wal as archived, extract(epoch from clock_timestamp() - last_archived_time) as age,
      last_failed_wal as failed, coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails
    from pg_stat_archiver`)
  const look = `run \`pgbackrest --stanza=${stanza} check\` for details`
  if (row.mode === 'off') {
    const found = 'archive_mode is off, so backups restore only the time at which they were created'
    return fault('archive', found, 'see ops/deploy/pgbackrest/postgresql.conf')
  }
  if (row.fails)
    return fault('archive', `archiving ${row.failed} fails${since(row)}`, `${look}; until then pg_wal grows`)
  if (row.archived === null || row.age === null)
    return fault('archive', 'nothing has been archived since the statistics were reset', look)
  const waiting = countWaitingSegments({ current: row.current, archived: row.archived, bytes: row.segment })
  const found = `the latest log segment was archived ${duration(Math.max(0, row.age))} ago; ${waiting} segments are waiting`
  if (row.age > limits.BACKUP_LOG_MAX_AGE_MINUTES * 60 && (waiting > 0 || row.timeout === 0)) {
    const why = row.timeout === 0 ? `${found}; archive_timeout is 0` : found
    return fault('archive', why, `${look}; archive_timeout: ops/deploy/pgbackrest/postgresql.conf`)
  }
  const known = (await ask(stanza)).archive.at(-1)?.max ?? ''
  // The name belongs to a history file instead of a segment.
  if (!isSegment.test(row.archived) || known.slice(0, 24) >= row.archived.slice(0, 24)) return well('archive', found)
  const missing = `Postgres has archived ${row.archived}, but the repository has ${known || 'nothing'}`
  return fault('archive', missing, 'make sure that archive_command and BACKUP_STANZA use the same stanza')
}

const isSegment = /^[0-9A-F]{24}/

const since = ({ age }: z.infer<typeof Row>) => (age === null ? '' : `; the last success was ${duration(age)} ago`)

/**
 * Returns the number of complete segments after the last archived one. Returns 0 if the last archived file was a
 * history file, which contains no position.
 */
export function countWaitingSegments({
  current,
  archived,
  bytes,
}: {
  current: string | null
  archived: string
  bytes: number
}): number {
  if (current === null || !isSegment.test(archived)) return 0
  return Math.max(0, place(current, bytes) - place(archived, bytes) - 1)
}

/** Returns the number of a segment from its name, regardless of its timeline. */
const place = (name: string, bytes: number): number =>
  Number.parseInt(name.slice(8, 16), 16) * (2 ** 32 / bytes) + Number.parseInt(name.slice(16, 24), 16)
