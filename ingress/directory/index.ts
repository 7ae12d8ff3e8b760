import { area } from '../http/area.ts'
import * as channelLive from './channel-live.ts'
import * as channelVideos from './channel-videos.ts'
import * as channels from './channels.ts'
import { finders } from './dashboard/finders.ts'
import * as playlistPages from './dashboard/playlist.ts'
import * as playlistsPages from './dashboard/playlists.ts'
import * as directoryPages from './directory-pages.ts'
import { directoryRegion } from './directory-region.ts'
import * as feed from './feed.ts'
import * as live from './live.ts'
import * as oembed from './oembed.ts'
import * as playlistVideos from './playlist-videos.ts'
import * as playlists from './playlists.ts'
import * as robots from './robots.ts'
import * as search from './search.ts'
import * as shorts from './shorts.ts'
import * as sitemap from './sitemap.ts'
import * as videos from './videos.ts'
import * as watch from './watch.ts'
import * as watchPlaylist from './watch-playlist.ts'

/**
 * Public channels, videos and live streams of all organisations.
 *
 * Terms:
 * - listed: public and ready. Everything else is hidden.
 * - channel: groups the videos of an organisation
 * - handle: name of a channel in URLs
 * - playlist: videos in the order of its owner
 * - short: a video that is taller than wide and up to three minutes long
 */
export const directory = area({
  name: 'directory',
  title: 'Directory',
  description: 'Public channels, videos, shorts and live streams.',
  base: '/v1/streaming',
  platform: true,
  routes: { channels, channelVideos, channelLive, videos, shorts, playlists, playlistVideos, live, search },
  pages: { watch, watchPlaylist, feed, oembed, sitemap, robots },
  console: {
    sections: [directoryPages.section],
    pages: { directoryPages },
    regions: { directory: directoryRegion },
  },
  dashboard: { finders, sections: [playlistsPages.section], pages: { playlistsPages, playlistPages } },
})
