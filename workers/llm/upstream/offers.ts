import { defaultModel } from '#lib/config/ai-upstreams.ts'
import type { NamedModel } from '#sql/ai/upstreams.ts'
import { LanguageEngineError } from '#tasks/ai/engine.ts'
import type { Server } from './connection.ts'

export interface Offer {
  server: Server
  model: string
}

export type ModelsOf = (server: Server) => readonly NamedModel[]

export const modelsOf: ModelsOf = ({ settings }) => settings.models

export const embeddingModelsOf: ModelsOf = ({ settings }) => settings.embeddingModels

export const rerankModelsOf: ModelsOf = ({ settings }) => settings.rerankModels

/** Returns the servers that have a model, in order. For `default`, returns the first model of each server. */
export function findOffers(servers: readonly Server[], asked: string, of: ModelsOf): Offer[] {
  return servers.flatMap((server) => {
    const models = of(server)
    const model = asked === defaultModel ? models[0] : models.find((one) => one.asked === asked)
    return model ? [{ server, model: model.real }] : []
  })
}

/** Like `findOffers`, but throws if no server has the model. */
export function requireOffers(servers: readonly Server[], asked: string, of: ModelsOf): [Offer, ...Offer[]] {
  const [first, ...others] = findOffers(servers, asked, of)
  if (first) return [first, ...others]
  throw new LanguageEngineError('upstream_error', 'No upstream server has this model.', {
    requestFault: { kind: 'model_not_found' },
  })
}
