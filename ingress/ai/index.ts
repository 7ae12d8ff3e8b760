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
import * as tryPages from './dashboard/try.ts'
import * as embeddings from './embeddings.ts'
import * as models from './models.ts'
import * as moderate from './moderate.ts'
import * as settings from './settings.ts'
import * as summarize from './summarize.ts'
import * as usage from './usage.ts'

/**
 * AI operations on text.
 * Terms:
 * - engine: does the work: a model of an upstream server, or the embedded engine, which only compares words
 * - document: a text that answers are taken from
 * - citation: a literal quote from a document
 * - usage: the tokens that the work cost
 * - upstream: a server with OpenAI's API that has models
 */
export const ai = area({
  name: 'ai',
  title: 'AI',
  description: 'Answer questions, summarise, classify and moderate text, and use models in OpenAI’s format.',
  base: '/v1/ai',
  platform: true,
  services: [completionFollowers],
  routes: { answer, summarize, classify, moderate, completions, embeddings, models, usage, costs, settings, cache },
  console: {
    sections: [aiPages.languageWork],
    pages: { aiPages },
    regions: { ai: aiRegion },
  },
  dashboard: { sections: [dashboardModels.section], pages: { dashboardModels, dashboardCosts, tryPages } },
})
