import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { JobAction } from '#tasks/jobs/rules/action-kinds.ts'
import { type ActionCounts, countMatchingJobs, describeFilter, performActionOnAll } from '#tasks/jobs/rules/actions.ts'
import { count, counted } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { type Action, type ActionFields, read } from '../action.ts'
import { FilterQuery, toJobFilter } from '../job-filter.ts'
import { DueTime, whenFields } from './when.ts'

/** Timeout of the response in milliseconds. The action continues after the response. */
const waitMs = 5_000

/** Minimum number of jobs for which an action that cannot be undone requires the operator to enter the number. */
const many = 100

const words: Record<JobAction, { verb: string; past: string; grave: boolean }> = {
  retry: { verb: 'Retry', past: 'Retried', grave: false },
  cancel: { verb: 'Cancel', past: 'Cancelled', grave: true },
  discard: { verb: 'Discard', past: 'Discarded', grave: true },
  reschedule: { verb: 'Reschedule', past: 'Rescheduled', grave: false },
}

const CountConfirmation = z.object({ wanted: z.string().optional(), typed: z.string().trim().optional() })

const filterGiven = (db: DatabasePool, given: ActionFields) => toJobFilter(db, read(FilterQuery, given))

function onMany(action: JobAction): Action {
  const { verb, past, grave } = words[action]
  return {
    async question(db, given) {
      const filter = await filterGiven(db, given)
      const found = await countMatchingJobs(db, action, filter)
      const text = html`Jobs that match now: <em>${await describeFilter(db, filter)}</em>. Jobs added later are not affected.`
      const fields = [action === 'reschedule' && whenFields, grave && found >= many && numberField(found)]
      return { title: `${verb} ${counted(found, 'job')}?`, text, button: `${verb} ${count(found)}`, grave, fields }
    },
    async perform(db, given, { actor, stopping }) {
      checkNumber(given)
      const at = action === 'reschedule' ? read(DueTime, given) : undefined
      const work = performActionOnAll(db, action, await filterGiven(db, given), { actor, at }, { signal: stopping })
      work.catch((err) => log.error({ err, action }, 'an action on many jobs failed'))
      const counts = await Promise.race([work, setTimeout(waitMs, null, { ref: false })])
      return counts ? inWords(past, counts) : `${verb} continues. The Actions page shows the progress.`
    },
  }
}

const numberField = (
  found: number,
) => html`<div class="fields"><div><label for="typed">Enter ${found} to confirm</label>
<input id="typed" name="typed" inputmode="numeric" autocomplete="off" required pattern="${found}"></div></div>
<input type="hidden" name="wanted" value="${found}">`

function checkNumber(given: ActionFields): void {
  const { wanted, typed } = read(CountConfirmation, given)
  if (wanted !== typed) throw badRequest([{ field: 'typed', issue: `must be ${wanted}` }])
}

function inWords(past: string, { changed, refused }: ActionCounts): string {
  const all = Object.values(refused).reduce((sum, jobs) => sum + jobs, changed)
  if (all === 0) return 'No jobs changed: no matching jobs remain.'
  const left = Object.entries(refused).map(([why, jobs]) => `${count(jobs)} unchanged: ${why}`)
  return [changes(past, changed, all), ...left].join(' ')
}

function changes(past: string, changed: number, all: number): string {
  if (changed === 0) return `No jobs changed: 0 of ${counted(all, 'job')} ${past.toLowerCase()}.`
  return changed === all ? `${past} ${counted(all, 'job')}.` : `${past} ${count(changed)} of ${counted(all, 'job')}.`
}

export const manyActions: Readonly<Record<string, Action>> = {
  'retry-all': onMany('retry'),
  'cancel-all': onMany('cancel'),
  'discard-all': onMany('discard'),
  'reschedule-all': onMany('reschedule'),
}
