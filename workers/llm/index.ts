import { config } from '#lib/config.ts'
import { createOutboundClient } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/bots/actions.ts'
import { reportUpstreams } from '#tasks/ai/rules/report-upstreams.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createActionSeats, createEngineForServers } from './engine.ts'
import { createServer } from './upstream/connection.ts'
import { listUpstreams } from './upstream/settings.ts'
import { getServerStates } from './upstream/states.ts'

export const llm: PoolDeclaration<'llm'> = {
  concurrency: config.LLM_CONCURRENCY,
  share: { perOrganisation: 1 / 2 },
  lacks: async () => undefined,
  tools: async ({ db, ends, workerId }) => {
    const servers = config.AI_ENGINE === 'upstream' ? listUpstreams(config).map(createServer) : []
    const llm = createEngineForServers(config, servers)
    ends.defer(() => llm.close())
    ends.defer(await reportUpstreams(db, workerId, () => getServerStates(servers)))
    const outbound = createOutboundClient()
    ends.defer(() => outbound.close())
    const seal = config.SIGNING_SECRET ? createSeal(config.SIGNING_SECRET, sealPurpose) : undefined
    const actions = { outbound, seal, take: createActionSeats(config).tryTake }
    return { llm, actions }
  },
}
