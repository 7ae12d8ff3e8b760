import { z } from 'zod'
import { findLacking, jobKey } from '#sql/knowledge/lacking.ts'
import { poolSchema } from '../pools.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { embed } from './embed.ts'
import { getEmbeddingModel } from './rules/vectors-of.ts'

const atOnce = 500

/** Lower priority than jobs for which people wait. */
const priority = 500

export const embedMissing = task({
  name: 'knowledge/embed-missing',
  pool: 'llm',
  payload: z.object({}),
  cron: '*/5 * * * *',
  async run(_, { db, llm }) {
    const model = getEmbeddingModel(llm)
    if (model === undefined) return
    const lacking = await findLacking(db, poolSchema(embed.pool), model, atOnce)
    if (lacking.length === 0) return
    const payloads = lacking.map(({ id }) => ({ sourceId: id }))
    const about = (i: number) => ({ key: jobKey(lacking[i]?.id ?? ''), orgId: lacking[i]?.org_id ?? '', priority })
    await enqueueMany(db, embed, payloads, about)
  },
})
