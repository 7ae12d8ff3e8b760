import { task } from '../queue/task.ts'
import { selectOutbound } from '../webhooks/rules/endpoint-url.ts'
import { callJob } from './rules/call-job.ts'
import { callSignature } from './rules/call-signature.ts'
import { endJobs } from './rules/end-jobs.ts'

/** Abort reason of the request of a job that has ended, because it was cancelled. */
class JobEndedError extends Error {
  override name = 'JobEndedError'
}

/** Calls the URL of a job, and records the response. */
export const call = task({
  ...callSignature,
  timeout: 330_000,
  async run({ jobId: id, turn }, { db, outbound: usual, local, seal, signal, batches }) {
    const job = await batches.begin({ id, turn })
    if (!job) return
    const outbound = local ? await selectOutbound(job.org_id, { db, outbound: usual, local }) : usual
    const controller = new AbortController()
    const abort = () => controller.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    signal.throwIfAborted()
    try {
      using _ = batches.watch({ id, turn }, () => controller.abort(new JobEndedError('the job has ended')))
      await batches.record(await callJob(job, { outbound, seal, signal: controller.signal }))
    } catch (error) {
      if (!(error instanceof JobEndedError)) throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  },
  async giveUp({ jobId, turn }, _, { db }) {
    const error = 'Millrace could not call the server, because its workers stopped several times during this job.'
    await db.transaction((tx) => endJobs(tx, [{ id: jobId, turn, status: 'failed', attempt: null, error }]))
  },
})
