import { area } from '../http/area.ts'
import * as peoplePages from './dashboard/people.ts'
import * as runPages from './dashboard/runs.ts'
import * as workflowPages from './dashboard/workflows.ts'
import * as element from './element.ts'
import * as events from './events.ts'
import * as feed from './feed.ts'
import * as health from './health.ts'
import * as inbox from './inbox.ts'
import { inboxStreams } from './inbox-streams.ts'
import * as marks from './marks.ts'
import * as people from './people.ts'
import * as preferences from './preferences.ts'
import * as runs from './runs.ts'
import * as stream from './stream.ts'
import * as texts from './texts.ts'
import * as workflows from './workflows.ts'

/**
 * What people are told of, and how they want to be told. Words used here:
 *   event       something that a person is to be told of
 *   channel     how: `in_app` (the inbox), `email`, `push`
 *   item        an event as it stands in the inbox, unread or read
 *   copy        what goes out of an event beside the inbox, on one channel
 *   preference  the channels that a person wants for a product's events of a type
 *   person      whom the directory knows, by the customer's own id, and where they are reached
 *   workflow    what events of a type start: channels, waits and conditions, step by step; it runs as a version
 *   text        what is said for a type in a language, in place of what its event says
 *   run         one way of a person through a version of a workflow; its trace has each step
 *   mark        what an item is seen, archived or read by
 */
export const notify = area({
  name: 'notify',
  title: 'Notify',
  description: 'Events for people: directory, workflows, inbox, unread counts and preferences.',
  base: '/v1/notify',
  platform: true,
  services: [inboxStreams],
  routes: { health, events, inbox, marks, preferences, stream, feed, element, people, workflows, texts, runs },
  dashboard: {
    sections: [workflowPages.section],
    pages: { workflowPages, peoplePages, runPages },
  },
})
