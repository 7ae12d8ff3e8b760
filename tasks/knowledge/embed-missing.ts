import { z } from 'zod'
import * as vectors from '#sql/knowledge/vectors.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { embed } from './embed.ts'

/** Sources whose jobs one run adds at most: more wait for the next. */
const atOnce = 500

/** Adds jobs for sources that lack the vectors of the model: of a release before, of another model, or whose job was given up. */
export const embedMissing = task({
  name: 'knowledge/embed-missing',
  pool: 'llm',
  payload: z.object({}),
  cron: '*/5 * * * *',
  async run(_, { db, embedder }) {
    if (!embedder) return
    const lacking = await vectors.findLacking(db, embedder.model, atOnce)
    if (lacking.length === 0) return
    const payloads = lacking.map(({ id }) => ({ sourceId: id }))
    await enqueueMany(db, embed, payloads, (i) => ({ key: `embed:${lacking[i]?.id}`, orgId: lacking[i]?.org_id ?? '' }))
  },
})
