import { newId } from '#lib/ids.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import type { Owned } from './owned.ts'

const model = 'small'

export const ai: Owned = ({ db }) => ({
  made: {
    '/v1/ai/models': async () => {
      const counts = { requests: 0, failures: 0, last_ok_at: null, last_failed_at: null, last_status: null }
      const models = [{ asked: model, real: model }]
      await upstreams.saveStatus(db, newId(), [
        { name: 'main', place: 0, models, embedding_models: [], rerank_models: [], state: 'up', ...counts },
      ])
      return model
    },
  },
  anyones: ['ai.models.get'],
  bodies: {},
})
