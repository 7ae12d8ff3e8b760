import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as jobs from '#sql/work/jobs.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, queryString, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'
import { callOf, jobState, originOf, responseOf } from './job-state.ts'
import { jobPath, section } from './section.ts'

export const JobFilters = z.object({
  status: optionalField(z.enum(jobs.statuses)),
  group: optionalField(z.string().max(200)),
  host: optionalField(z.string().max(300)),
  origin_id: optionalField(Id),
})

export type JobFilters = z.output<typeof JobFilters>

/** Maximum length of the name of a region. */
const longestName = 200

/** Returns the name of the live region of a list. Undefined if the filters are too long for a name. */
export function regionOf(filters: JobFilters): string | undefined {
  const name = `jobs/${encodeURIComponent(queryString(filters))}`
  return name.length > longestName ? undefined : name
}

/** The newest jobs. Only the first page is live. */
export const jobsRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const filters = JobFilters.safeParse(Object.fromEntries(new URLSearchParams(decode(given))))
    return filters.success ? await renderJobs(db, orgId, filters.data) : null
  },
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

export async function renderJobs(
  db: DatabasePool,
  orgId: string,
  filters: JobFilters,
  before?: string | undefined,
): Promise<Html> {
  const found = await jobs.list(db, orgId, { where: whereOf(jobs.filters, filters), before, limit: perPage + 1 })
  const { shown, older } = cutPage(found)
  if (shown.length > 0) return html`${jobTable(shown)}${older(section.path, filters)}`
  return Object.values(filters).some((value) => value !== undefined)
    ? emptyState('No jobs match these filters.')
    : emptyState(
        'Your jobs appear here.',
        'Millrace calls a URL of your server for each job, and tries again if it fails. Start with the call below.',
      )
}

export const jobTable = (shown: readonly jobs.Listed[], caption = 'Jobs'): Html =>
  dataTable({ caption, key: ({ id }) => id }, shown, {
    Job: (one) => html`<a href="${jobPath(one.id)}">${callOf(one)}</a>`,
    Status: ['break', (one) => jobState(one)],
    Attempts: ['number', (one) => `${one.attempts} of ${one.retries.max_attempts}`],
    Response: ['break', (one) => responseOf(one)],
    Group: ['break', (one) => one.group_name ?? quiet('none')],
    'Created by': (one) => originOf(one),
    Created: (one) => ago(one.created_at),
  })
