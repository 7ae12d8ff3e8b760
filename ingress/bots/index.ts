import { area } from '../http/area.ts'
import * as actions from './actions.ts'
import { answerFollowers } from './answer-followers.ts'
import * as ownBots from './bots.ts'
import * as botsPage from './bots-page.ts'
import { botsRegion } from './bots-region.ts'
import * as chat from './chat.ts'
import * as actionCallsDashboard from './dashboard/action-calls.ts'
import * as actionsDashboard from './dashboard/actions.ts'
import * as botDashboard from './dashboard/bot.ts'
import * as botsDashboard from './dashboard/bots.ts'
import * as inboxDashboard from './dashboard/inbox.ts'
import * as questionsDashboard from './dashboard/questions.ts'
import * as directory from './directory.ts'
import * as documents from './documents.ts'
import * as element from './element.ts'
import * as handovers from './handovers.ts'
import * as messages from './messages.ts'
import * as questions from './questions.ts'
import * as sources from './sources.ts'
import * as templates from './templates.ts'
import * as visitors from './visitors.ts'

/**
 * Bots and conversations with them. Words used here:
 *   template      what bots are made from: a prompt with placeholders, version by version
 *   bot           what answers; its version is how it talks: a prompt, values of placeholders, a greeting
 *   document      what a bot may quote
 *   source        a file or an address whose text is a document
 *   action        a request to its owner's server that a bot makes while it answers
 *   conversation  what an organisation and a bot say to each other; it keeps the version that it began with
 *   answer        a message of a bot, pending from the moment of its question
 */
export const bots = area({
  name: 'bots',
  title: 'Bots',
  description: 'Create bots that answer from your documents, use templates, and store conversations.',
  base: '/v1/bots',
  platform: true,
  services: [answerFollowers],
  routes: {
    element,
    templates,
    directory,
    handovers,
    bots: ownBots,
    documents,
    sources,
    actions,
    questions,
    chat,
    messages,
    visitors,
  },
  console: {
    sections: [botsPage.section],
    pages: { botsPage },
    regions: { bots: botsRegion },
  },
  dashboard: {
    sections: [botsDashboard.section],
    // The inbox before a bot's page, and a new action before any, whose paths would take their names for ids.
    pages: { botsDashboard, inboxDashboard, botDashboard, actionsDashboard, actionCallsDashboard, questionsDashboard },
  },
})
