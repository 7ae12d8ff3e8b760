import { area } from '../http/area.ts'
import * as broadcasts from './broadcasts.ts'
import * as channels from './channels.ts'
import * as chatBans from './chat/bans.ts'
import * as chat from './chat/chat.ts'
import * as chatClip from './chat/clip.ts'
import * as chatElement from './chat/element.ts'
import { chatHub } from './chat/hub.ts'
import * as chatMessages from './chat/messages.ts'
import * as chatTokens from './chat/tokens.ts'
import * as chatViewer from './chat/viewer.ts'
import * as clips from './clips.ts'
import * as channelPages from './dashboard/channel.ts'
import { channelRegion } from './dashboard/channel-region.ts'
import * as channelsPages from './dashboard/channels.ts'
import * as chatPages from './dashboard/chat.ts'
import { chatRegion } from './dashboard/chat-region.ts'
import * as clipPages from './dashboard/clips.ts'
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
import * as watchFiles from './watch-files.ts'
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
    watchFiles,
    broadcasts,
    clips,
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
    chatElement,
    chatClip,
  },
  console: { sections: [pages.live], pages: { pages }, regions: { broadcasts: liveRegion } },
  dashboard: {
    finders,
    sections: [channelsPages.section],
    pages: {
      channelsPages,
      channelPages,
      chatPages,
      clipPages,
      restreamPages,
      schedulePages,
      settingsPages,
      studioPages,
    },
    regions: { channel: channelRegion, chat: chatRegion },
  },
})
