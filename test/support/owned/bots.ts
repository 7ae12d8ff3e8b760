import { newId } from '#lib/ids.ts'
import * as channels from '#sql/bots/channels.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as ratings from '#sql/bots/ratings.ts'
import type { Owned } from './owned.ts'

const act = { name: 'status', description: 'Tells the state.', url: 'https://www.example.com/' }

export const bots: Owned = ({ make, db, owner }) => {
  let bot: Promise<string> | undefined
  let source: Promise<string> | undefined
  let action: Promise<string> | undefined
  let channel: Promise<string | null> | undefined
  let label: Promise<string> | undefined
  let reply: Promise<string> | undefined
  let conversation: Promise<string> | undefined
  const makeBot = async () => {
    const id = await make('POST /v1/bots', { name: 'Help', system_prompt: 'Help.' })
    const intervals = [{ day: 1, from: '09:00', to: '17:00' }]
    await make(`PUT /v1/bots/${id}/hours`, { time_zone: 'UTC', intervals }, 'time_zone')
    return id
  }
  /** A conversation with a rating. */
  const makeConversation = async () => {
    const place = { org_id: owner.org.id, bot_id: (await bot) ?? '' }
    const { id } = await conversations.insert(db, {
      ...place,
      id: newId(),
      bot_version: 1,
      user_id: null,
      variables: {},
    })
    await ratings.insert(db, { ...place, id: newId(), conversation_id: id, assignee_id: null, score: 5, comment: null })
    return id
  }
  return {
    made: {
      '/v1/bots': () => {
        bot ??= makeBot()
        return bot
      },
      '/v1/bots/templates': async () => 'handbook',
      '/v1/bots/conversations/labels': async () => {
        label ??= make('POST /v1/bots/conversations/labels', { name: 'Refund' })
        return await label
      },
      '/v1/bots/conversations/canned-replies': async () => {
        reply ??= make('POST /v1/bots/conversations/canned-replies', { shortcut: 'a', title: 'a', text: 'a' })
        return await reply
      },
      '/v1/bots/{botId}/conversations': () => {
        conversation ??= makeConversation()
        return conversation
      },
      '/v1/bots/{botId}/sources': async () => {
        source ??= make(`POST /v1/bots/${await bot}/sources`, { url: 'https://www.example.com/' })
        return await source
      },
      '/v1/bots/{botId}/actions': async () => {
        action ??= make(`POST /v1/bots/${await bot}/actions`, act)
        return await action
      },
      // Without a route of the organisation.
      '/v1/bots/{botId}/channels': async () => {
        channel ??= channels.insert(db, {
          ...{ id: newId(), org_id: owner.org.id, bot_id: (await bot) ?? '', kind: 'email' },
          ...{ number_id: null, route_id: newId(), from_email: null, from_name: null, silence_hours: 1 },
          ...{ hourly_limit: 1, unreadable_reply: 'a', handover_reply: null },
        })
        return (await channel) ?? ''
      },
    },
    anyones: ['bots.templates.read'],
    bodies: {
      'bots.bots.update': { name: 'b' },
      'bots.documents.create': { title: 'a', text: 'b' },
      'bots.chat.create': { message: 'hello' },
      'bots.sources.create': { url: 'https://www.example.com/' },
      'bots.sources.update': { refresh_hours: 1 },
      'bots.actions.create': act,
      'bots.actions.update': { enabled: true },
      'bots.channels.create': { kind: 'email', route_id: newId() },
      'bots.channels.update': { silence_hours: 2 },
      'bots.handovers.reply': { message: 'hello' },
      'bots.assignments.update': { member_id: null },
      'bots.conversation-labels.update': { label_ids: [] },
      'bots.labels.create': { name: 'Urgent' },
      'bots.labels.update': { color: 'red' },
      'bots.canned-replies.create': { shortcut: 'b', title: 'b', text: 'b' },
      'bots.canned-replies.update': { title: 'b' },
      'bots.hours.update': { time_zone: 'UTC', intervals: [{ day: 1, from: '09:00', to: '17:00' }] },
      'bots.ratings.update': { score: 5 },
      'bots.visitor-rating.update': { score: 5 },
      'bots.visitor-contact.update': { name: 'Ann' },
      'bots.question-groups.answer': { text: 'a' },
      'bots.questions.answer': { text: 'a' },
      'bots.visitors.chat': { message: 'hello' },
    },
  }
}
