import { area } from '../http/area.ts'
import * as aiPages from './ai-pages.ts'
import { aiRegion } from './ai-region.ts'
import * as answer from './answer.ts'
import * as cache from './cache.ts'
import * as classify from './classify.ts'
import { completionFollowers } from './completion-followers.ts'
import * as completions from './completions.ts'
import * as costs from './costs.ts'
import * as dashboardCosts from './dashboard/costs.ts'
import * as dashboardModels from './dashboard/models.ts'
import * as storePages from './dashboard/store.ts'
import * as storesPages from './dashboard/stores.ts'
import { section as storesSection } from './dashboard/stores-section.ts'
import * as tryPages from './dashboard/try.ts'
import * as embeddings from './embeddings.ts'
import * as files from './files.ts'
import * as messages from './messages.ts'
import * as models from './models.ts'
import * as moderate from './moderate.ts'
import * as rerank from './rerank.ts'
import * as responses from './responses.ts'
import * as settings from './settings.ts'
import * as summarize from './summarize.ts'
import * as transcriptions from './transcriptions.ts'
import * as usage from './usage.ts'
import * as vectorStoreBatches from './vector-store-batches.ts'
import * as vectorStoreFiles from './vector-store-files.ts'
import * as vectorStores from './vector-stores.ts'

/**
 * AI operations on text.
 * Terms:
 * - engine: does the work: a model of an upstream server, or the embedded engine, which only compares words
 * - document: a text that answers are taken from
 * - citation: a literal quote from a document
 * - usage: the tokens that the work cost
 * - upstream: a server with OpenAI's API that has models
 * - vector store: a collection of files that are searched together
 */
export const ai = area({
  name: 'ai',
  title: 'AI',
  description: 'Answer questions, summarise, classify and moderate text, and use models in OpenAI’s format.',
  base: '/v1/ai',
  platform: true,
  services: [completionFollowers],
  routes: {
    answer,
    summarize,
    classify,
    moderate,
    completions,
    responses,
    messages,
    embeddings,
    rerank,
    transcriptions,
    models,
    usage,
    costs,
    settings,
    cache,
    files,
    vectorStores,
    vectorStoreFiles,
    vectorStoreBatches,
  },
  console: {
    sections: [aiPages.languageWork],
    pages: { aiPages },
    regions: { ai: aiRegion },
  },
  dashboard: {
    finders: storePages.finders,
    sections: [dashboardModels.section, storesSection],
    // The order matters: `new` must come before the path that would read it as an ID.
    pages: { dashboardModels, dashboardCosts, tryPages, storesPages, storePages },
  },
})
