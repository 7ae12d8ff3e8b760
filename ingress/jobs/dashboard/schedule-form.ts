import { z } from 'zod'
import type { Schedule } from '#sql/work/schedules.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { tokenField } from '../../http/html/parts.ts'
import { jobFields, toJob } from './job-fields.ts'
import { limitInputs, requestInputs, type Shown } from './job-inputs.ts'
import { previewPath } from './schedule-preview.ts'
import { timingFields, toTiming } from './schedule-timing.ts'

export const scheduleFields = z.object({
  ...jobFields,
  ...timingFields,
  name: z.string().default(''),
  missed: z.enum(['skip', 'once']).default('skip'),
})

export const toSchedule = ({ name, missed, ...given }: z.output<typeof scheduleFields>) => ({
  ...{ name: name.trim(), missed },
  ...toTiming(given),
  job: toJob(given),
})

const missedOptions = [
  ['skip', 'Skip them'],
  ['once', 'Run once for all of them'],
] as const

const local = (at: Date | null | undefined): string => at?.toISOString().slice(0, 16) ?? ''

/** Renders the form of a schedule next to its next runs, which change while the member types. */
export function scheduleForm(
  member: Member,
  filled: FormState,
  { now, job = {}, preview, words, back }: { now?: Schedule; job?: Shown; preview: Html; words: string; back: string },
): Html {
  const headersHint = now && 'Optional. Leave blank to keep the headers of the schedule.'
  return html`<div class="beside"><form class="form" method="post" data-preview="${previewPath}">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'Unique in your organisation. For example, nightly-report.' })}
${textField(filled, { name: 'cron', label: 'Cron expression', otherwise: now?.cron ?? '', hint: 'Minute, hour, day of month, month, day of week. For example, 30 2 * * 1-5.' })}
${textField(filled, { name: 'time_zone', label: 'Time zone', otherwise: now?.time_zone ?? 'UTC', hint: 'For example, Europe/Berlin.' })}
${textField(filled, { name: 'every', label: 'Interval in seconds', type: 'number', otherwise: now?.every_seconds ? String(now.every_seconds) : '', hint: 'Instead of a cron expression. At least 60.' })}
${textField(filled, { name: 'starts_at', label: 'First run from (UTC)', type: 'datetime-local', otherwise: local(now?.starts_at), hint: 'Optional.' })}
${textField(filled, { name: 'ends_at', label: 'Last run until (UTC)', type: 'datetime-local', otherwise: local(now?.ends_at), hint: 'Optional.' })}
${selectField(filled, { name: 'missed', label: 'Missed runs', options: missedOptions, otherwise: now?.missed ?? 'skip', hint: 'Runs are missed while no worker of Millrace is running.' })}
${requestInputs(filled, job, headersHint)}
${limitInputs(filled, job)}
<p class="actions"><button class="primary">${words}</button> <a class="button plain" href="${back}">Cancel</a></p></form>
<section class="preview-pane" aria-labelledby="runs-title"><h2 id="runs-title">Next runs</h2><div data-preview-result role="status">${preview}</div></section></div>`
}
