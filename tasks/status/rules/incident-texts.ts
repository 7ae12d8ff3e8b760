import type { Reason } from '#sql/status/areas.ts'

export const titles: Readonly<Record<Reason, string>> = {
  failing: 'Requests fail',
  waiting: 'Jobs wait longer than 15 minutes',
  stopped: 'Jobs are not processed',
  paused: 'The operator has paused the processing of jobs',
}

export const texts: Readonly<Record<Reason, string>> = {
  failing: 'At least 5 % of the requests of the last five minutes failed with a server error.',
  waiting: 'The API accepts requests. Their background work starts late.',
  stopped: 'The API accepts requests. Their background work has not started for 15 minutes. No job is lost.',
  paused: 'The API accepts requests. Their background work starts when the operator resumes it. No job is lost.',
}

export const ended = 'The measurements show no problem any more.'
