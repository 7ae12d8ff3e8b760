import { area } from '../http/area.ts'
import * as broadcasts from './broadcasts.ts'
import * as channels from './channels.ts'
import * as chatBans from './chat/bans.ts'
import * as chat from './chat/chat.ts'
import { chatHub } from './chat/hub.ts'
import * as chatMessages from './chat/messages.ts'
import * as chatTokens from './chat/tokens.ts'
import * as chatViewer from './chat/viewer.ts'
import * as channelPages from './dashboard/channel.ts'
import { channelRegion } from './dashboard/channel-region.ts'
import * as channelsPages from './dashboard/channels.ts'
import { finders } from './dashboard/finders.ts'
import * as restreamPages from './dashboard/restreams.ts'
import * as schedulePages from './dashboard/schedule.ts'
import * as settingsPages from './dashboard/settings.ts'
import * as studioPages from './dashboard/studio.ts'
import * as keys from './keys.ts'
import { liveOrigins } from './origins.ts'
import * as pages from './pages.ts'
import * as playback from './playback.ts'
import * as playbackSessions from './playback-sessions.ts'
import { liveRegion } from './region.ts'
import * as restreams from './restreams.ts'
import * as schedule from './schedule.ts'
import * as upcoming from './upcoming.ts'
import * as watch from './watch.ts'
import { webMedia } from './web-media.ts'
import * as whep from './whep.ts'
import * as whip from './whip.ts'

export const live = area({
  name: 'live',
  title: 'Live',
  description: 'Live channels: stream keys, broadcasts, playback, recording.',
  base: '/v1/stream',
  services: [liveOrigins, webMedia, chatHub],
  routes: {
    playback,
    channels,
    keys,
    playbackSessions,
    watch,
    broadcasts,
    restreams,
    whip,
    whep,
    schedule,
    upcoming,
    chat,
    chatTokens,
    chatMessages,
    chatBans,
    chatViewer,
  },
  console: { sections: [pages.live], pages: { pages }, regions: { broadcasts: liveRegion } },
  dashboard: {
    finders,
    sections: [channelsPages.section],
    pages: { channelsPages, channelPages, restreamPages, schedulePages, settingsPages, studioPages },
    regions: { channel: channelRegion },
  },
})
