import { z } from 'zod'
import type { Kind } from '#tasks/jobs/action-kinds.ts'
import { act } from '#tasks/jobs/actions.ts'
import { look } from '#tasks/jobs/describe.ts'
import { type Content, html } from '../../http/console/html.ts'
import { type Act, read } from '../act.ts'
import { When, whenFields } from './when.ts'

const OfJob = z.object({ job: z.string() })

/** How an action on one job is asked for. */
interface Words {
  verb: string
  text: string
  grave?: boolean
  fields?: Content
}

const words: Record<Kind, Words> = {
  retry: { verb: 'Retry', text: 'It gets all its attempts again and runs as soon as a worker is free.' },
  cancel: {
    verb: 'Cancel',
    text: 'A waiting job never runs; a running one is told to stop. Its task is told.',
    grave: true,
  },
  discard: { verb: 'Discard', text: 'It leaves the queue for good. Its task is not told again.', grave: true },
  reschedule: { verb: 'Reschedule', text: 'It waits until then, whatever it waited for.', fields: whenFields },
}

function onJob(kind: Kind): Act {
  const { verb, text, grave = false, fields } = words[kind]
  return {
    async question(db, given) {
      const { name, task } = await look(db, read(OfJob, given).job)
      return { title: `${verb} ${task}?`, text: html`Job <code>${name}</code>. ${text}`, button: verb, grave, fields }
    },
    async perform(db, given, { actor }) {
      const { job } = read(OfJob, given)
      const at = kind === 'reschedule' ? read(When, given) : undefined
      const { name, message } = await act(db, kind, job, { actor, at })
      return `Job ${name}: ${message}`
    },
  }
}

/** What is done to one job. */
export const jobActs: Readonly<Record<string, Act>> = {
  retry: onJob('retry'),
  cancel: onJob('cancel'),
  discard: onJob('discard'),
  reschedule: onJob('reschedule'),
}
