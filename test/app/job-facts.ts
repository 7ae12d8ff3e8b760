type Made = (request: string, body: unknown) => Promise<{ id: string }>

/** Jobs, a schedule and a flow of an organisation. Nobody listens at their URL. */
export async function addJobs(made: Made): Promise<void> {
  const url = 'http://127.0.0.1:9/jobs'
  const limits = { concurrency: { key: 'acme', limit: 2 }, rate: { key: 'crm', limit: 10, per: 'minute' } }
  await made('POST /v1/jobs', { url, body: { order: 1042 }, headers: { authorization: 'Bearer 17' }, ...limits })
  const nightly = { name: 'nightly-report', cron: '30 2 * * *', time_zone: 'Europe/Berlin' }
  await made('POST /v1/jobs/schedules', { ...nightly, job: { url } })
  const jobs = [
    { name: 'charge', url },
    { name: 'ship', url, after: ['charge'] },
  ]
  await made('POST /v1/jobs/flows', { name: 'order-1042', jobs })
  // The newest job has ended, so the list leads to the page that deletes it.
  const { id } = await made('POST /v1/jobs', { url, delay: 3600, group: 'later' })
  await made(`POST /v1/jobs/${id}/cancel`, undefined)
}
