import { area } from '../http/area.ts'
import * as broadcasts from './broadcasts.ts'
import * as channels from './channels.ts'
import * as clips from './clips.ts'
import * as channelPages from './dashboard/channel.ts'
import { channelRegion } from './dashboard/channel-region.ts'
import * as channelsPages from './dashboard/channels.ts'
import { finders } from './dashboard/finders.ts'
import * as restreamPages from './dashboard/restreams.ts'
import * as settingsPages from './dashboard/settings.ts'
import * as studioPages from './dashboard/studio.ts'
import * as keys from './keys.ts'
import { liveOrigins } from './origins.ts'
import * as pages from './pages.ts'
import * as playback from './playback.ts'
import * as playbackSessions from './playback-sessions.ts'
import { liveRegion } from './region.ts'
import * as restreams from './restreams.ts'
import * as watch from './watch.ts'
import { webMedia } from './web-media.ts'
import * as whep from './whep.ts'
import * as whip from './whip.ts'

export const live = area({
  name: 'live',
  title: 'Live',
  description: 'Live channels: stream keys, broadcasts, playback, recording.',
  base: '/v1/stream',
  services: [liveOrigins, webMedia],
  routes: { playback, channels, keys, playbackSessions, watch, broadcasts, clips, restreams, whip, whep },
  console: { sections: [pages.live], pages: { pages }, regions: { broadcasts: liveRegion } },
  dashboard: {
    finders,
    sections: [channelsPages.section],
    pages: { channelsPages, channelPages, restreamPages, settingsPages, studioPages },
    regions: { channel: channelRegion },
  },
})
