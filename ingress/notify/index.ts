import { area } from '../http/area.ts'
import * as brands from './brands.ts'
import * as chatMessages from './chat-messages.ts'
import * as connections from './connections.ts'
import * as brandPages from './dashboard/brands.ts'
import * as connectionPages from './dashboard/connection.ts'
import * as connectionListPages from './dashboard/connections.ts'
import * as eventPages from './dashboard/event.ts'
import { finders } from './dashboard/finders.ts'
import * as inboxPages from './dashboard/inbox.ts'
import * as peoplePages from './dashboard/people.ts'
import * as personPages from './dashboard/person.ts'
import * as preferencePages from './dashboard/preferences.ts'
import { runsRegion } from './dashboard/run-table.ts'
import * as runPages from './dashboard/runs.ts'
import { section } from './dashboard/section.ts'
import * as stepPages from './dashboard/steps.ts'
import * as testPages from './dashboard/test-run.ts'
import * as textFormPages from './dashboard/text-form.ts'
import * as textSendPages from './dashboard/text-send.ts'
import * as textPages from './dashboard/texts.ts'
import { timelineRegions } from './dashboard/timeline.ts'
import * as versionPages from './dashboard/versions.ts'
import * as workflowPages from './dashboard/workflow.ts'
import * as workflowFormPages from './dashboard/workflow-form.ts'
import * as workflowsPages from './dashboard/workflows.ts'
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
 * Events for people, and their preferences.
 *
 * Terms:
 * - event: something to notify a person of
 * - channel: `in_app` (the inbox), `email`, `push`, `whatsapp`, `sms`, a chat service, or `url`
 * - connection: incoming webhook of a chat service, or a URL that receives signed messages
 * - item: an event in the inbox, unread or read
 * - copy: an event sent on one channel outside the inbox
 * - preference: the channels that a person wants for a product’s events of a type
 * - person: an entry of the directory, by the customer’s own ID, with contact details
 * - workflow: channels, waits and conditions that events of a type start, step by step; runs use a version of it
 * - text: title and body for a type and language, which replace those of the event
 * - brand: how the emails of a product look that have no template
 * - run: one execution of a workflow version for a person; its trace has each step
 * - mark: state of an item: archived, seen or read
 */
export const notify = area({
  name: 'notify',
  title: 'Notify',
  description: 'Events for people: directory, workflows, inbox, unread counts and preferences.',
  base: '/v1/notify',
  platform: true,
  services: [inboxStreams],
  routes: {
    ...{ health, events, inbox, marks, preferences, stream, feed, element, people, workflows, texts, brands, runs },
    ...{ connections, chatMessages },
  },
  dashboard: {
    finders,
    sections: [section],
    pages: {
      ...{ workflowsPages, workflowFormPages, workflowPages, stepPages, versionPages, testPages, runPages },
      ...{ connectionListPages, connectionPages, brandPages, preferencePages, eventPages, inboxPages },
      ...{ textPages, textFormPages, textSendPages, peoplePages, personPages },
    },
    regions: {
      'notify-runs': runsRegion,
      'notify-runs-all': runPages.firstRunsRegion,
      'notify-run': runPages.runRegion,
      'notify-connection': connectionPages.connectionRegion,
      'notify-event': eventPages.eventRegion,
      ...timelineRegions,
    },
  },
})
