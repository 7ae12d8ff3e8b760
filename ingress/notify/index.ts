import { area } from '../http/area.ts'
import * as events from './events.ts'
import * as health from './health.ts'
import * as inbox from './inbox.ts'
import { inboxStreams } from './inbox-streams.ts'
import * as preferences from './preferences.ts'
import * as stream from './stream.ts'

/**
 * What people are told of, and how they want to be told. Words used here:
 *   event       something that a person is to be told of
 *   channel     how: `in_app` (the inbox), `email`, `push`
 *   item        an event as it stands in the inbox, unread or read
 *   copy        what goes out of an event beside the inbox, on one channel
 *   preference  the channels that a person wants for a product's events of a type
 */
export const notify = area({
  name: 'notify',
  title: 'Notify',
  description: 'Events for people: inbox, unread counts and preferences.',
  base: '/v1/notify',
  platform: true,
  services: [inboxStreams],
  routes: { health, events, inbox, preferences, stream },
})
