import { newId } from '#lib/ids.ts'
import * as channels from '#sql/bots/channels.ts'
import type { Owned } from './owned.ts'

const act = { name: 'status', description: 'Tells the state.', url: 'https://www.example.com/' }

export const bots: Owned = ({ make, db, owner }) => {
  let bot: Promise<string> | undefined
  let source: Promise<string> | undefined
  let action: Promise<string> | undefined
  let channel: Promise<string | null> | undefined
  let label: Promise<string> | undefined
  let reply: Promise<string> | undefined
  return {
    made: {
      '/v1/bots': () => {
        bot ??= make('POST /v1/bots', { name: 'Help', system_prompt: 'Help.' })
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
      'bots.questions.answer': { text: 'a' },
      'bots.visitors.chat': { message: 'hello' },
    },
  }
}
