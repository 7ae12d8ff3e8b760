import { z } from 'zod'
import type { JobAction } from '#tasks/jobs/rules/action-kinds.ts'
import { performAction } from '#tasks/jobs/rules/actions.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { type Content, html } from '../../http/html/html.ts'
import { type Action, read } from '../action.ts'
import { DueTime, whenFields } from './when.ts'

const OfJob = z.object({ job: z.string() })

interface Words {
  verb: string
  text: string
  grave?: boolean
  fields?: Content
}

const words: Record<JobAction, Words> = {
  retry: { verb: 'Retry', text: 'The attempts of the job are reset. The job runs when a worker is free.' },
  cancel: {
    verb: 'Cancel',
    text: 'If the job is pending, it never runs. If the job is running, it receives a request to stop. Its task is notified.',
    grave: true,
  },
  discard: {
    verb: 'Discard',
    text: 'The job is removed from the queue permanently. Its task is not notified.',
    grave: true,
  },
  reschedule: {
    verb: 'Reschedule',
    text: 'The job is queued until this time, regardless of its previous due time.',
    fields: whenFields,
  },
}

function onJob(action: JobAction): Action {
  const { verb, text, grave = false, fields } = words[action]
  return {
    async question(db, given) {
      const { name, task } = await describeJob(db, read(OfJob, given).job)
      return { title: `${verb} ${task}?`, text: html`Job <code>${name}</code>. ${text}`, button: verb, grave, fields }
    },
    async perform(db, given, { actor }) {
      const { job } = read(OfJob, given)
      const at = action === 'reschedule' ? read(DueTime, given) : undefined
      const { name, message } = await performAction(db, action, job, { actor, at })
      return `Job ${name}: ${message}`
    },
  }
}

export const jobActions: Readonly<Record<string, Action>> = {
  retry: onJob('retry'),
  cancel: onJob('cancel'),
  discard: onJob('discard'),
  reschedule: onJob('reschedule'),
}
