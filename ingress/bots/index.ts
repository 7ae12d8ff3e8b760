import { area } from '../http/area.ts'
import * as actions from './actions.ts'
import { answerFollowers } from './answer-followers.ts'
import * as assignments from './assignments.ts'
import * as ownBots from './bots.ts'
import * as botsPage from './bots-page.ts'
import { botsRegion } from './bots-region.ts'
import * as cannedReplies from './canned-replies.ts'
import * as channels from './channels.ts'
import * as chat from './chat.ts'
import * as conversationLabels from './conversation-labels.ts'
import { dashboard } from './dashboard/pages.ts'
import * as directory from './directory.ts'
import * as documents from './documents.ts'
import * as element from './element.ts'
import * as handovers from './handovers.ts'
import * as hours from './hours.ts'
import * as labels from './labels.ts'
import * as messages from './messages.ts'
import * as questionGroups from './question-groups.ts'
import * as questions from './questions.ts'
import * as ratings from './ratings.ts'
import * as renderedReplies from './rendered-replies.ts'
import * as sources from './sources.ts'
import * as templates from './templates.ts'
import * as visitorContact from './visitor-contact.ts'
import * as visitorRating from './visitor-rating.ts'
import * as visitors from './visitors.ts'

/**
 * Bots and their conversations.
 * Terms:
 * - template: what a bot is created from: a prompt with placeholders, in versions
 * - bot: answers messages. Its version contains the prompt, the values of placeholders and the greeting
 * - document: a text that a bot may quote
 * - source: a file or URL whose text is a document
 * - action: a request to the owner's server that a bot sends while it answers
 * - conversation: messages between an organisation and a bot. It keeps the version that it started with
 * - channel: a WhatsApp number or an inbound email route at which a bot answers
 * - contact: a person who writes to a channel, by phone number or email address
 * - answer: a message of a bot, pending from the moment of its question
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
    labels,
    cannedReplies,
    ratings,
    assignments,
    conversationLabels,
    renderedReplies,
    hours,
    bots: ownBots,
    documents,
    sources,
    actions,
    questions,
    questionGroups,
    channels,
    chat,
    messages,
    visitors,
    visitorContact,
    visitorRating,
  },
  console: {
    sections: [botsPage.section],
    pages: { botsPage },
    regions: { bots: botsRegion },
  },
  dashboard,
})
