import { z } from 'zod'
import { config } from '#lib/config.ts'
import { type Db, sql } from '#sql/db.ts'
import { backupInfo } from './backup-info.ts'
import { type Finding, fault, well } from './finding.ts'
import { duration } from './output.ts'

const Row = z.object({
  mode: z.string(),
  timeout: z.coerce.number(),
  /** Bytes of a segment. */
  segment: z.coerce.number(),
  current: z.string().nullable(),
  archived: z.string().nullable(),
  age: z.coerce.number().nullable(),
  failed: z.string().nullable(),
  fails: z.boolean(),
})

/** Whether the log gets into the repository, as Postgres tells it and as pgBackRest has it: what came after it is lost with the host. */
export async function archive(db: Db): Promise<Finding[]> {
  const stanza = config.BACKUP_STANZA
  if (!stanza) return []
  const row = await db.one(sql.type(Row)`
    select current_setting('archive_mode') as mode, extract(epoch from current_setting('archive_timeout')::interval) as timeout,
      pg_size_bytes(current_setting('wal_segment_size')) as segment,
      case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as current,
      last_archived_wal as archived, extract(epoch from clock_timestamp() - last_archived_time) as age,
      last_failed_wal as failed, coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails
    from pg_stat_archiver`)
  if (row.mode === 'off')
    return [
      fault(
        'archive',
        'archive_mode is off: a backup brings back its own time and no other',
        'see ops/deploy/pgbackrest/postgresql.conf',
      ),
    ]
  if (row.fails)
    return [
      fault(
        'archive',
        `archiving ${row.failed} fails${since(row)}`,
        `see what \`pgbackrest --stanza=${stanza} check\` says; pg_wal grows meanwhile`,
      ),
    ]
  if (row.archived === null || row.age === null)
    return [
      fault(
        'archive',
        'nothing has been archived since the statistics began',
        `see what \`pgbackrest --stanza=${stanza} check\` says`,
      ),
    ]
  const waiting =
    row.current === null ? 0 : Math.max(0, place(row.current, row.segment) - place(row.archived, row.segment) - 1)
  const found = `the last of the log was archived ${duration(Math.max(0, row.age))} ago, ${waiting} segments wait`
  if (row.age > config.BACKUP_LOG_MAX_AGE_MINUTES * 60 && (waiting > 0 || row.timeout === 0))
    return [
      fault(
        'archive',
        `${found}${row.timeout === 0 ? '; archive_timeout is 0' : ''}`,
        'see ops/deploy/pgbackrest/postgresql.conf, and the log of Postgres',
      ),
    ]
  return [await inRepository(stanza, row.archived, found)]
}

/** The repository must have what Postgres believes to be there. */
async function inRepository(stanza: string, archived: string, found: string): Promise<Finding> {
  const known = (await backupInfo(stanza)).archive.at(-1)?.max ?? ''
  // A history file is no segment.
  if (!isSegment.test(archived) || known.slice(0, 24) >= archived.slice(0, 24)) return well('archive', found)
  return fault(
    'archive',
    `Postgres has archived ${archived}, and the repository has ${known || 'nothing'}`,
    'see that archive_command and BACKUP_STANZA mean the same stanza',
  )
}

const isSegment = /^[0-9A-F]{24}/

const since = ({ age }: z.infer<typeof Row>) => (age === null ? '' : `; the last that did was ${duration(age)} ago`)

/** The number of a segment by its name, whatever its timeline. */
const place = (name: string, bytes: number): number =>
  Number.parseInt(name.slice(8, 16), 16) * (2 ** 32 / bytes) + Number.parseInt(name.slice(16, 24), 16)
