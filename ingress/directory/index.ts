import { area } from '../http/area.ts'
import * as channelLive from './channel-live.ts'
import * as channelVideos from './channel-videos.ts'
import * as channels from './channels.ts'
import * as directoryPages from './directory-pages.ts'
import { directoryRegion } from './directory-region.ts'
import * as live from './live.ts'
import * as search from './search.ts'
import * as shorts from './shorts.ts'
import * as videos from './videos.ts'
import * as watch from './watch.ts'

/**
 * What is public on this installation, of all organisations. Words used here:
 *   listed   public and ready: what is not is shown nowhere
 *   channel  what an organisation's videos are found under
 *   handle   a channel's name in links
 *   short    a video that is taller than wide and at most three minutes long
 */
export const directory = area({
  name: 'directory',
  title: 'Streaming directory',
  description: 'Channels, videos, shorts and live streams that are public.',
  base: '/v1/streaming',
  platform: true,
  routes: {
    channels: {
      list: channels.list,
      create: channels.create,
      read: channels.read,
      update: channels.update,
      remove: channels.remove,
    },
    'channel-videos': { list: channelVideos.list, assign: channelVideos.assign, remove: channelVideos.remove },
    'channel-live': { assign: channelLive.assign, remove: channelLive.remove },
    videos: { list: videos.list, read: videos.read, describe: videos.describe },
    shorts: { list: shorts.list, read: shorts.read },
    live: { list: live.list, read: live.read },
    search: { find: search.find },
  },
  pages: { watch: { index: watch.index, video: watch.video, channel: watch.channel } },
  console: {
    sections: [directoryPages.section],
    pages: { 'directory-pages': { overview: directoryPages.overview } },
    regions: { directory: directoryRegion },
  },
})
