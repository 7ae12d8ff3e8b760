import { task } from '../queue/task.ts'
import { selectOutbound } from '../webhooks/rules/endpoint-url.ts'
import { callJob } from './rules/call-job.ts'
import { callSignature } from './rules/call-signature.ts'
import { endJobs } from './rules/end-jobs.ts'

/** Calls the URL of a job, and records the response. */
export const call = task({
  ...callSignature,
  timeout: 330_000,
  async run({ jobId, turn }, { db, outbound: usual, local, seal, signal, batches }) {
    const job = await batches.begin({ id: jobId, turn })
    if (!job) return
    if (job.cancel_requested_at) return await batches.record({ kind: 'end', job, status: 'cancelled', attempt: null })
    const cancellation = new AbortController()
    using _ = batches.watch(jobId, () => cancellation.abort(new Error('the job was cancelled')))
    const outbound = await selectOutbound(job.org_id, { db, outbound: usual, local })
    try {
      const abort = AbortSignal.any([signal, cancellation.signal])
      await batches.record(await callJob(job, { outbound, seal, signal: abort }))
    } catch (error) {
      if (!cancellation.signal.aborted || signal.aborted) throw error
      await batches.record({ kind: 'end', job, status: 'cancelled', attempt: null })
    }
  },
  async giveUp({ jobId, turn }, _, { db }) {
    const error = 'Millrace could not call the server, because its workers stopped several times during this job.'
    await db.transaction((tx) => endJobs(tx, [{ id: jobId, turn, status: 'failed', attempt: null, error }]))
  },
})
