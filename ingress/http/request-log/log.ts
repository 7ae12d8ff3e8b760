import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { limitToOncePerMinute } from '#lib/once-a-minute.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import * as windows from '#sql/account/usage/request-windows.ts'
import type { Request } from '#sql/account/usage/requests.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Sample } from '../limits/requests.ts'
import { Minutes } from './minutes.ts'
import { Ring } from './ring.ts'
import { toLogRow } from './row.ts'
import { Shares } from './shares.ts'
import { LogWriter } from './writer.ts'

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

/** Maximum number of minute counts in memory. */
const mostMinutes = 50_000

const minuteTicks = 5

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
  const ring = new Ring<Request>(settings.size)
  const minutes = new Minutes(mostMinutes)
  let open: ReadonlyMap<string, number> = new Map()
  const shares = new Shares()
  let ticks = 0
  let closing = false
  const trouble = limitToOncePerMinute((err: string, times) => log.warn({ err, times }, 'could not log requests'))
  const writer = new LogWriter(main, refuse)

  function refuse(error: unknown): void {
    dropped.inc({ why: 'refused' })
    trouble(describe(error))
  }

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
      refuse(error)
    }
  }

  async function tick(): Promise<void> {
    const n = ticks++
    await writer.makeDays()
    await writer.writeRows(ring)
    if (n % minuteTicks !== 0) return
    await writer.writeMinutes(minutes)
    const opened = await windows.listOpen(await writer.connect())
    open = new Map(opened.map(({ key_id, ends_at }) => [key_id, ends_at.getTime()]))
  }

  const timer = runEvery(settings.everyMs, tick, (error) => trouble(describe(error))).unref()

  async function last(): Promise<void> {
    await timer.stop()
    await writer.writeRows(ring)
    await writer.writeMinutes(minutes)
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
      await Promise.race([writer.close(), late.promise])
    },
  }
}
