import type { Db } from '#sql/db.ts'
import * as daily from '#sql/email/daily.ts'
import { type EngagementDay, listEngagementByDay } from '#sql/email/engagement-counts.ts'
import { type Html, html } from '../../http/html/html.ts'
import { byDay, figure, type Series } from '../../http/html/plot.ts'

const days = 30

/** Renders charts of the messages of the last 30 days. Renders nothing for an organisation without messages. */
export async function renderMailDays(db: Db, orgId: string): Promise<Html | undefined> {
  const found = await daily.listByDay(db, orgId, { days })
  const readers = await listEngagementByDay(db, orgId, days)
  if (found.every(({ accepted }) => accepted === 0)) return undefined
  const { time, line } = byDay(found)
  const delivered = [line('sent', ({ sent }) => sent), line('delivered', ({ delivered }) => delivered)]
  const lost = [
    line('bounced', ({ bounced }) => bounced, true),
    line('failed', ({ failed }) => failed),
    line('complaints', ({ complained }) => complained),
  ]
  return html`<section><h2>Last 30 days</h2><div class="plots">${figure({ ...time, name: 'mail-delivered', title: 'Deliveries by day', noun: 'messages per day', series: delivered })}
${figure({ ...time, name: 'mail-lost', title: 'Bounces by day', noun: 'messages per day', series: lost })}
${readers.some(({ opened, clicked }) => opened + clicked > 0) && figure({ ...time, name: 'mail-readers', title: 'Readers by day', noun: 'messages per day', series: readerLines(readers) })}</div></section>`
}

function readerLines(readers: readonly EngagementDay[]): Series[] {
  const { line } = byDay(readers)
  return [line('opened', ({ opened }) => opened), line('clicked', ({ clicked }) => clicked)]
}
