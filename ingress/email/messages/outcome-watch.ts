import { findStatuses, type Status } from '#sql/email/messages.ts'
import { service } from '../../http/container.ts'
import { createRowWatch, type RowWatch } from '../../http/database/row-watch.ts'
import { stopping } from '../../http/services.ts'

export const outcomeWatch = service<RowWatch<Status>>({
  name: 'email.outcome watch',
  open: ({ db, services }) =>
    createRowWatch<Status>({
      read: (ids) => findStatuses(db, ids),
      initial: 'queued',
      hasSettled: (status) => status !== 'queued',
      stopping: services(stopping),
    }),
})

/**
 * Returns the seconds of `Prefer: wait` (RFC 7240 §4.3), limited to `max`. Returns undefined without this preference.
 */
export function parseWaitSeconds(prefer: string | undefined, max: number): number | undefined {
  const [, seconds] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(prefer ?? '') ?? []
  return seconds === undefined ? undefined : Math.min(max, Number(seconds))
}
