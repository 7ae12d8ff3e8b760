import type { Db } from '#sql/db.ts'
import type * as assets from '#sql/video/assets.ts'
import { everyone } from '#sql/video/audience-reports.ts'
import { type Html, html } from '../../http/html/html.ts'
import { periodOf } from '../analytics/query.ts'
import { readReport } from '../analytics/report.ts'
import { renderAudience } from './audience.ts'

/** Renders who watched a video in the last 30 days. */
export async function renderVideoCharts(db: Db, asset: assets.Asset): Promise<Html | undefined> {
  if (asset.status !== 'ready' && asset.status !== 'processing') return undefined
  const query = { orgId: asset.org_id, assetId: asset.id, ...periodOf({}) }
  const report = await readReport(db, query, everyone)
  return html`<section><div class="title"><h2>Viewers</h2><a class="button" href="/app/videos/analytics?asset=${asset.id}">Analytics</a></div>
${renderAudience(report, asset.duration_seconds)}</section>`
}
