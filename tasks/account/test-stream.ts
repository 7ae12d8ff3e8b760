import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as streams from '#sql/account/streams/streams.ts'
import { task } from '../queue/task.ts'
import { maskResult, openTarget, sealError } from './rules/streams/open-target.ts'
import { toSample } from './rules/streams/records.ts'

/** Sends one sample record and returns the response of the server. The position does not change. */
export const testStream = task({
  name: 'account/test-stream',
  pool: 'streams',
  payload: z.object({ streamId: Id, recordId: Id }),
  tracked: true,
  attempts: 1,
  timeout: 30_000,
  async run({ streamId, recordId }, { db, engine, seal, signal }) {
    const target = await streams.findTarget(db, streamId)
    if (!target) throw new Permanent('The stream was deleted.')
    const started = performance.now()
    const opened = openTarget(target, seal)
    const source = target.sources[0] as streams.Source
    const records = [toSample(target, source, recordId)]
    const result = opened
      ? maskResult(await engine.send(opened, { source, first: 0, records }, signal), opened)
      : sealError
    return {
      record_id: recordId,
      delivered: result.outcome === 'accepted' && result.dropped === 0,
      response_status: result.status,
      response_body: result.answer,
      latency_ms: Math.round(performance.now() - started),
      error: result.error,
    }
  },
})
