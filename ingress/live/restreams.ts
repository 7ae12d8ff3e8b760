import * as channels from '#sql/live/channels.ts'
import { channelRestreams, sealPurpose } from '#sql/live/restreams.ts'
import { restreamMessage } from '#tasks/live/rules/restream-messages.ts'
import { maxRestreams } from '#tasks/live/rules/restream-target.ts'
import { mustFind } from '../http/must-find.ts'
import type { RestreamOwner } from '../restreams/owner.ts'
import { restreamRoutes } from '../restreams/routes.ts'

export const channel: RestreamOwner = {
  area: 'live',
  noun: 'channel',
  what: 'live channel',
  path: '/live/channels/{channelId}',
  param: 'channelId',
  targets: channelRestreams,
  sealPurpose,
  find: channels.find,
  hold: (tx, orgId, id) => mustFind(channels.find(tx, orgId, id), 'live channel'),
  messageOf: restreamMessage,
  texts: {
    of: '',
    create: `Sends each broadcast to another platform without changing it. A channel can have up to ${maxRestreams} targets.`,
    list: 'Returns the restream targets of the channel with their state. Stream keys in their URLs are masked.',
    read: 'Returns the state of the target and the last error. The stream key in its URL is masked.',
    update: 'Applies within two seconds, even during a broadcast. `enabled: false` stops sending to the target.',
    remove: 'Broadcasts are no longer sent to the target. A broadcast in progress also stops there.',
    idle: 'nothing is being broadcast',
    live: 'broadcast',
  },
}

export const { create, list, read, update, remove } = restreamRoutes(channel)
