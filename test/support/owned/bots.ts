import { newId } from '#lib/ids.ts'
import * as channels from '#sql/bots/channels.ts'
import type { Owned } from './owned.ts'

const act = { name: 'status', description: 'Tells the state.', url: 'https://www.example.com/' }

export const bots: Owned = ({ make, db, owner }) => {
  let bot: Promise<string> | undefined
  let source: Promise<string> | undefined
  let action: Promise<string> | undefined
  let channel: Promise<string | null> | undefined
  return {
    made: {
      '/v1/bots': () => {
        bot ??= make('POST /v1/bots', { name: 'Help', system_prompt: 'Help.' })
        return bot
      },
      '/v1/bots/templates': async () => 'handbook',
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
      'bots.questions.answer': { text: 'a' },
      'bots.visitors.chat': { message: 'hello' },
    },
  }
}
