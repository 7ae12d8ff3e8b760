import type { Owned } from './owned.ts'

let made = 0
const uniqueName = () => `schedule-${made++}`

export const jobs: Owned = ({ make }) => ({
  bodies: { 'jobs.schedules.update': { missed: 'once' } },
  made: {
    // Without workers no request is sent.
    '/v1/jobs': () => make('POST /v1/jobs', { url: 'https://example.com/', delay: 3_600 }),
    '/v1/jobs/schedules': () =>
      make('POST /v1/jobs/schedules', { name: uniqueName(), cron: '0 0 1 1 *', job: { url: 'https://example.com/' } }),
    '/v1/jobs/flows': () =>
      make('POST /v1/jobs/flows', { jobs: [{ name: 'a', url: 'https://example.com/', delay: 3_600 }] }),
  },
})
