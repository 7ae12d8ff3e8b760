import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Kind } from '#tasks/jobs/action-kinds.ts'
import { actOnAll, countAll, describeFilter, type Tally } from '#tasks/jobs/actions.ts'
import { count, counted } from '../../http/console/format.ts'
import { html } from '../../http/console/html.ts'
import { type Act, type Given, read } from '../act.ts'
import { FilterQuery, filterOf } from '../job-filter.ts'
import { When, whenFields } from './when.ts'

/** How long an answer waits for an action on many; it goes on after that. */
const patienceMs = 5_000

/** From so many jobs on, what cannot be undone is confirmed by their number. */
const many = 100

const words: Record<Kind, { verb: string; past: string; grave: boolean }> = {
  retry: { verb: 'Retry', past: 'Retried', grave: false },
  cancel: { verb: 'Cancel', past: 'Cancelled', grave: true },
  discard: { verb: 'Discard', past: 'Discarded', grave: true },
  reschedule: { verb: 'Reschedule', past: 'Rescheduled', grave: false },
}

const Typed = z.object({ wanted: z.string().optional(), typed: z.string().trim().optional() })

const filterGiven = (db: DatabasePool, given: Given) => filterOf(db, read(FilterQuery, given))

function onMany(kind: Kind): Act {
  const { verb, past, grave } = words[kind]
  return {
    async question(db, given) {
      const filter = await filterGiven(db, given)
      const found = await countAll(db, kind, filter)
      const text = html`Those that match now: <em>${await describeFilter(db, filter)}</em>. Jobs that are added meanwhile are left alone.`
      const fields = [kind === 'reschedule' && whenFields, grave && found >= many && numberField(found)]
      return { title: `${verb} ${counted(found, 'job')}?`, text, button: `${verb} ${count(found)}`, grave, fields }
    },
    async perform(db, given, { actor, stopping }) {
      checkNumber(given)
      const at = kind === 'reschedule' ? read(When, given) : undefined
      const work = actOnAll(db, kind, await filterGiven(db, given), { actor, at }, { signal: stopping })
      work.catch((err) => log.error({ err, kind }, 'an action on many jobs broke off'))
      const tally = await Promise.race([work, setTimeout(patienceMs, null, { ref: false })])
      return tally ? inWords(past, tally) : `${verb} goes on; Actions counts what is done.`
    },
  }
}

const numberField = (found: number) => html`<div class="fields"><div><label for="typed">Type ${found} to confirm</label>
<input id="typed" name="typed" inputmode="numeric" autocomplete="off" required pattern="${found}"></div></div>
<input type="hidden" name="wanted" value="${found}">`

function checkNumber(given: Given): void {
  const { wanted, typed } = read(Typed, given)
  if (wanted !== typed) throw badRequest([{ field: 'typed', issue: `is not ${wanted}` }])
}

function inWords(past: string, { changed, refused }: Tally): string {
  const all = Object.values(refused).reduce((sum, jobs) => sum + jobs, changed)
  if (all === 0) return 'Nothing was done: no job matches any more.'
  const left = Object.entries(refused).map(([why, jobs]) => `${count(jobs)} left as they are: ${why}`)
  return [changes(past, changed, all), ...left].join(' ')
}

function changes(past: string, changed: number, all: number): string {
  if (changed === 0) return `Nothing was done: 0 of ${counted(all, 'job')} ${past.toLowerCase()}.`
  return changed === all ? `${past} ${counted(all, 'job')}.` : `${past} ${count(changed)} of ${counted(all, 'job')}.`
}

/** What is done to all jobs that match a filter. */
export const manyActs: Readonly<Record<string, Act>> = {
  'retry-all': onMany('retry'),
  'cancel-all': onMany('cancel'),
  'discard-all': onMany('discard'),
  'reschedule-all': onMany('reschedule'),
}
