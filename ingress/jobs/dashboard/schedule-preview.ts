import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { fragment } from '../../http/dashboard/fragment.ts'
import type { PageCall } from '../../http/dashboard/page.ts'
import { type Html, html } from '../../http/html/html.ts'
import * as routes from '../schedules.ts'
import { timingFields, toTiming } from './schedule-timing.ts'
import { runList } from './schedule-words.ts'
import { schedulesSection } from './section.ts'

export const previewPath = `${schedulesSection.path}/preview`

const Previewed = z.object({ next_runs: z.array(z.coerce.date()) })

type Timing = Readonly<Record<string, unknown>>

/** Renders the next runs of a timing, or why it has none. */
export async function renderPreview(ask: PageCall<unknown, unknown>['ask'], timing: Timing): Promise<Html> {
  if (timing.cron === undefined && timing.every === undefined)
    return html`<p class="quiet">Enter a cron expression or an interval to see the next runs.</p>`
  try {
    const { next_runs } = await ask(routes.preview, { body: timing }, Previewed)
    return runList(next_runs, String(timing.time_zone ?? 'UTC'))
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return html`<ul class="problems">${sentencesOf(error).map((one) => html`<li>${one}</li>`)}</ul>`
  }
}

const labels: Readonly<Record<string, string>> = {
  ...{ cron: 'The cron expression', time_zone: 'The time zone', every: 'The interval' },
  ...{ starts_at: 'The first run', ends_at: 'The last run' },
}

function sentencesOf({ details, message }: Problem): string[] {
  if (!Array.isArray(details)) return [message]
  return (details as { field: string; issue: string }[]).map(({ field, issue }) => {
    const name = field.replace(/^body\./, '')
    return `${labels[name] ?? name} ${issue}.`.replace(/\.\.$/, '.')
  })
}

export const preview = fragment({
  path: '/jobs/schedules/preview',
  summary: 'Show the next runs while a schedule is edited',
  permission: 'areas:write',
  fields: z.object(timingFields),
  formBytes: 1024 * 1024,
  answer: async ({ ask, given }) => html`<div data-preview-result>${await renderPreview(ask, toTiming(given))}</div>`,
})
