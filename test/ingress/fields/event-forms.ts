import { type Form, fieldsOf, page } from './form.ts'
import { received, uniqueText } from './samples.ts'

const exportedParts = { rate: 'Exported as `rate_limit` and `rate_per`.', disabled: 'Exported as `disabled_at`.' }
const archived: Form = {
  unexported: { archived: 'Exported as `archived_at`.' },
}
const customerEndpoint = () => ({
  url: page(),
  headers: { [`x-${uniqueText()}`]: uniqueText() },
  filters: [{ path: 'a', op: 'eq', value: uniqueText() }],
})
const sealedHeaders: Form = {
  apart: { secret: 'Has a form of its own: whsec_ and Base64.' },
  unshown: { headers: 'Secrets.', disabled: 'Shown as `status`.' },
  unexported: {
    headers: 'Secrets.',
    disabled: 'Exported as `status`.',
    types: 'Exported as `events`.',
    rate: 'Exported as `rate_limit` and `rate_per`.',
  },
}
const retention = { payload_retention_days: 'A time, as `payload_deletes_at`.' }
const years = { starts_at: '2030-01-01T00:00:00.000Z', ends_at: '2040-01-01T00:00:00.000Z' }
const scheduledJob = () => ({ url: `https://example.com/${uniqueText()}`, group: uniqueText() })

/** Forms of jobs, customer webhooks, received webhooks and automation. */
export const eventForms: Readonly<Record<string, Form>> = {
  'automation.rules.create': {
    values: () => ({
      event: 'email.bounced',
      conditions: [{ path: 'reason', operator: 'eq', value: uniqueText() }],
      action: { type: 'job', url: page() },
    }),
  },
  'automation.rules.update': {
    values: () => ({
      event: 'email.sent',
      conditions: [{ path: 'to', operator: 'contains', value: uniqueText() }],
      action: { type: 'job', url: page() },
    }),
  },
  'jobs.jobs.create': {
    values: () => ({ method: 'PUT', retries: { max_attempts: 3, schedule: [17, 18] } }),
    apart: fieldsOf('delay', 'Excludes `run_at`.'),
    // A job that is due uses its keys at once.
    also: [() => ({ url: page(), concurrency: { key: uniqueText(), limit: 2 } })],
    unshown: { headers: 'Masked.', dedupe_window: 'Stored with the key until it ends.' },
    unexported: {
      headers: 'Can contain credentials.',
      dedupe_window: 'Stored with the key until it ends.',
      timeout: 'Exported as `timeout_ms`.',
      ...fieldsOf('concurrency', 'Exported as `concurrency_key` and `concurrency_limit`.'),
      ...fieldsOf('rate', 'Exported as `rate_key`, `rate_limit` and `rate_per`.'),
      group: 'Exported as `group_name`.',
      run_at: 'Exported as `due_at`.',
    },
    read: (made) => `/v1/jobs/${made('/v1/jobs')}`,
  },
  'hooks.apps.create': { unexported: exportedParts },
  'hooks.apps.update': { unexported: exportedParts },
  'hooks.event-types.create': {
    values: () => ({ schema: { properties: { a: { description: uniqueText() } } }, example: { a: uniqueText() } }),
  },
  'hooks.event-types.update': {
    values: () => ({ schema: { properties: { a: { description: uniqueText() } } }, example: { a: uniqueText() } }),
    ...archived,
  },
  'hooks.endpoints.create': { values: customerEndpoint, ...sealedHeaders },
  'hooks.endpoints.update': { values: customerEndpoint, ...sealedHeaders },
  'hooks.messages.create': {
    values: (made) => ({ event_type: made('/v1/hooks/event-types', 'name'), payload: { a: uniqueText() } }),
    read: (made) => `/v1/hooks/apps/${made('/v1/hooks/apps')}/messages`,
    unshown: retention,
    unexported: { ...retention, event_type: 'Exported as `type`.', payload: 'Exported as `data`.' },
  },
  'jobs.schedules.create': {
    values: () => ({ cron: '17 9 * * 1-5', time_zone: 'Europe/Vienna', ...years, job: scheduledJob() }),
    apart: { every: 'Excludes `cron`.', paused: 'A state.' },
    also: [() => ({ name: uniqueText(), every: 3_617, ...years, job: scheduledJob() })],
    unexported: { every: 'Exported as `every_seconds`.' },
    read: (made) => `/v1/jobs/schedules/${made('/v1/jobs/schedules')}`,
  },
  'jobs.schedules.update': {
    values: () => ({ cron: '18 9 * * 1-5', time_zone: 'Europe/Berlin', ...years, job: scheduledJob() }),
    apart: { every: 'Excludes `cron`.' },
    unexported: { every: 'Exported as `every_seconds`.' },
    read: (made) => `/v1/jobs/schedules/${made('/v1/jobs/schedules')}`,
  },
  'jobs.flows.create': {
    values: () => ({ jobs: [{ name: 'first', url: 'https://example.com/first', delay: 3_600 }] }),
    unexported: { jobs: 'Exported as jobs, and their names and order in the flow.' },
    read: (made) => [
      `/v1/jobs/flows/${made('/v1/jobs/flows')}`,
      `/v1/jobs?origin_kind=flow&origin_id=${made('/v1/jobs/flows')}`,
    ],
  },
  'intake.sources.create': {
    values: () => ({ provider: 'hmac', ...received() }),
    unshown: { secret: 'Encrypted, never shown.' },
    unexported: { secret: 'Encrypted.' },
  },
  'intake.sources.update': {
    values: received,
  },
}
