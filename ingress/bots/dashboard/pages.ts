import type { DashboardContribution } from '../../http/dashboard/contents.ts'
import * as actionCalls from './action-calls.ts'
import * as actionForm from './action-form.ts'
import * as actions from './actions.ts'
import * as bot from './bot.ts'
import * as bots from './bots.ts'
import * as cannedReplies from './canned-replies.ts'
import * as channelForm from './channel-form.ts'
import * as channels from './channels.ts'
import * as chooseReply from './choose-reply.ts'
import * as conversations from './conversations.ts'
import * as document from './document.ts'
import * as documents from './documents.ts'
import * as embed from './embed.ts'
import { finders } from './finders.ts'
import * as hours from './hours.ts'
import * as inbox from './inbox.ts'
import { answer, inboxRegion, read } from './inbox-conversation.ts'
import { assignTo, backToBot, end, saveLabels } from './inbox-forms.ts'
import * as instructions from './instructions.ts'
import * as labels from './labels.ts'
import * as newBot from './new-bot.ts'
import * as newDocument from './new-document.ts'
import * as questionGroups from './question-groups.ts'
import * as questions from './questions.ts'
import * as ratings from './ratings.ts'
import { section } from './section.ts'
import * as settings from './settings.ts'
import * as tryIt from './try.ts'
import * as uploadDocument from './upload-document.ts'

export const dashboard: DashboardContribution = {
  finders,
  sections: [section],
  // The order matters: `inbox`, `labels`, `canned-replies`, `new`, `text`, `url` and `upload` must come before paths that would read them as IDs.
  pages: {
    bots,
    newBot,
    inbox,
    labels,
    cannedReplies,
    inboxConversation: { read, answer },
    inboxForms: { assignTo, saveLabels, backToBot, end },
    chooseReply,
    bot,
    settings,
    instructions,
    documents,
    newDocument,
    uploadDocument,
    document,
    tryIt,
    embed,
    conversations,
    channels,
    channelForm,
    actions,
    actionForm,
    actionCalls,
    questions,
    hours,
    ratings,
    questionGroups,
  },
  regions: { 'bot-documents': documents.documentsRegion, 'bot-chat': tryIt.chatRegion, 'bot-inbox': inboxRegion },
}
