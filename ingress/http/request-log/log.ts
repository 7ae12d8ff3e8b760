import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { limitToOncePerMinute } from '#lib/once-a-minute.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import { makeDays } from '#sql/account/usage/request-days.ts'
import * as minuteRows from '#sql/account/usage/request-minutes.ts'
import * as windows from '#sql/account/usage/request-windows.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { type DatabasePool, isRowFault, openPool } from '#sql/db.ts'
import type { Sample } from '../limits/requests.ts'
import { Minutes } from './minutes.ts'
import { Ring } from './ring.ts'
import { toLogRow } from './row.ts'
import { Shares } from './shares.ts'

export interface RequestLogSettings {
  size: number
  perSecond: number
  /**
   * Maximum number of errors per organisation and second that are logged. One operation and code can use half of them.
   */
  errorsPerSecond: number
  everyMs: number
  closeMs: number
}

/**
 * `perSecond` and `errorsPerSecond` are limits per organisation and process. One operation and code can use up to half
 * of the errors.
 */
const defaults = { size: 20_000, everyMs: 1_000, closeMs: 3_000, perSecond: 5, errorsPerSecond: 20 }

/** Maximum numbers of rows per statement, of minute counts per statement, and of minute counts in memory. */
const [rowsAtOnce, minutesAtOnce, mostMinutes] = [5_000, 1_000, 50_000]

const minuteTicks = 5

const daysMs = 3_600_000

const dropped = counter(
  'millrace_request_log_dropped_total',
  'Requests that are missing from the log, by reason. `minutes` are also missing from the counts.',
  ['why'],
)

/** Logs completed requests asynchronously. Requests do not wait for the database. */
export interface RequestLog {
  note(sample: Sample): void
  close(): Promise<void>
}

export function createRequestLog(main: DatabasePool, given: Partial<RequestLogSettings> = {}): RequestLog {
  const settings = { ...defaults, ...given }
  const ring = new Ring<requests.Request>(settings.size)
  const minutes = new Minutes(mostMinutes)
  let opened: Promise<DatabasePool> | undefined
  let open: ReadonlyMap<string, number> = new Map()
  const shares = new Shares()
  let ticks = 0
  let closing = false
  let daysAt = Number.NEGATIVE_INFINITY
  const trouble = limitToOncePerMinute((err: string, times) => log.warn({ err, times }, 'could not log requests'))

  function isLogged({ status, operation, problem }: Sample, orgId: string): boolean {
    if (status === 429) return false
    if (status < 400) return shares.take(orgId, settings.perSecond)
    const { errorsPerSecond } = settings
    const ofKind = shares.take(`${orgId} ${operation} ${problem?.code ?? status}`, Math.ceil(errorsPerSecond / 2))
    return ofKind && shares.take(`${orgId} errors`, errorsPerSecond)
  }

  function note(sample: Sample): void {
    const { caller } = sample
    if (!caller) return
    if (!minutes.count(sample, caller)) dropped.inc({ why: 'minutes' })
    const bodies = open.size > 0 && (open.get(caller.key.id) ?? 0) > Date.now()
    if (!(bodies && sample.status !== 429) && !isLogged(sample, caller.org.id)) return
    try {
      if (!ring.hasRoom(caller.org.id)) dropped.inc({ why: 'overflow' })
      else ring.push(toLogRow(sample, caller, bodies))
    } catch (error) {
      dropped.inc({ why: 'refused' })
      trouble(describe(error))
    }
  }

  async function connected(): Promise<DatabasePool> {
    opened ??= openPool(main.configuration.connectionUri, 1, 5_000, 5_000)
    try {
      return await opened
    } catch (error) {
      opened = undefined
      throw error
    }
  }

  async function write(db: DatabasePool, rows: readonly requests.Request[]): Promise<void> {
    try {
      await requests.write(db, rows)
    } catch (error) {
      if (!isRowFault(error)) throw error
      if (rows.length === 1) {
        trouble(describe(error))
        return dropped.inc({ why: 'refused' })
      }
      const half = rows.length >> 1
      await write(db, rows.slice(0, half))
      await write(db, rows.slice(half))
    }
  }

  async function writeRows(db: DatabasePool): Promise<void> {
    while (ring.length > 0) {
      const rows = ring.first(rowsAtOnce)
      await write(db, rows)
      ring.drop(rows.length)
    }
  }

  async function writeMinutes(db: DatabasePool): Promise<void> {
    for (;;) {
      const unwritten = minutes.unwritten(minutesAtOnce)
      if (unwritten.length > 0) await minuteRows.write(db, unwritten)
      minutes.written(unwritten)
      if (unwritten.length < minutesAtOnce) return
    }
  }

  async function tick(): Promise<void> {
    const n = ticks++
    const db = await connected()
    if (performance.now() - daysAt > daysMs) {
      await makeDays(db)
      daysAt = performance.now()
    }
    await writeRows(db)
    if (n % minuteTicks !== 0) return
    await writeMinutes(db)
    open = new Map((await windows.listOpen(db)).map(({ key_id, ends_at }) => [key_id, ends_at.getTime()]))
  }

  const timer = runEvery(settings.everyMs, tick, (error) => trouble(describe(error))).unref()

  async function last(): Promise<void> {
    await timer.stop()
    const db = await connected()
    await writeRows(db)
    await writeMinutes(db)
  }

  return {
    note,
    async close() {
      if (closing) return
      closing = true
      const late = Promise.withResolvers<void>()
      const timeout = setTimeout(late.resolve, settings.closeMs)
      await Promise.race([last().catch((error) => trouble(describe(error))), late.promise])
      clearTimeout(timeout)
      if (ring.length > 0) dropped.inc({ why: 'closed' }, ring.length)
      await Promise.race([opened?.then((pool) => pool.end()).catch(() => {}), late.promise])
    },
  }
}
