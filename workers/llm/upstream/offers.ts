import { defaultModel } from '#lib/config/ai-upstreams.ts'
import type { NamedModel } from '#sql/ai/upstreams.ts'
import { LanguageEngineError } from '#tasks/ai/engine.ts'
import type { Server } from './connection.ts'

/** A server, and what a model is called there. */
export interface Offer {
  server: Server
  model: string
}

type ModelsOf = (server: Server) => readonly NamedModel[]

/** The models of a server that make vectors. */
export const embeddingModelsOf: ModelsOf = ({ settings }) => settings.embeddingModels

/** Who has a model, in the order in which they are asked; whoever leaves the choice to the operator gets the first of each. */
export function findOffers(servers: readonly Server[], asked: string, of: ModelsOf): Offer[] {
  return servers.flatMap((server) => {
    const models = of(server)
    const model = asked === defaultModel ? models[0] : models.find((one) => one.asked === asked)
    return model ? [{ server, model: model.real }] : []
  })
}

/** The same; throws where nobody has it. */
export function offersOf(servers: readonly Server[], asked: string, of: ModelsOf): [Offer, ...Offer[]] {
  const [first, ...others] = findOffers(servers, asked, of)
  if (first) return [first, ...others]
  throw new LanguageEngineError('upstream_error', 'No upstream server has this model.', {
    requestFault: { kind: 'model_not_found' },
  })
}
