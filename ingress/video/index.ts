import { observeCertificates } from '#tasks/video/rules/domains/certificate-gauges.ts'
import { area } from '../http/area.ts'
import { servedDomains } from '../playback/served-domains.ts'
import { countryLookup, dns } from '../playback/services.ts'
import * as analytics from './analytics.ts'
import * as assets from './assets.ts'
import * as beacons from './beacons.ts'
import * as captionLanguages from './caption-languages.ts'
import * as captions from './captions.ts'
import * as chapters from './chapters.ts'
import * as clips from './clips.ts'
import * as qualityPages from './console/quality-pages.ts'
import { qualityRegion } from './console/quality-region.ts'
import * as contract from './contract.ts'
import * as analyticsPages from './dashboard/analytics.ts'
import * as embeddingPages from './dashboard/embedding.ts'
import { extrasRegion } from './dashboard/extras-region.ts'
import { finders } from './dashboard/finders.ts'
import * as videoPages from './dashboard/video.ts'
import * as captionPages from './dashboard/video-captions.ts'
import * as chapterPages from './dashboard/video-chapters.ts'
import * as clipPages from './dashboard/video-clips.ts'
import * as factPages from './dashboard/video-facts.ts'
import * as posterPages from './dashboard/video-posters.ts'
import { videoRegion } from './dashboard/video-region.ts'
import * as soundPages from './dashboard/video-sounds.ts'
import * as transcriptPages from './dashboard/video-transcript.ts'
import * as videosPages from './dashboard/videos.ts'
import { tls } from './domains/tls.ts'
import * as domains from './domains.ts'
import * as embedding from './embedding.ts'
import * as frames from './frames.ts'
import * as health from './health.ts'
import * as imports from './imports.ts'
import * as mp4s from './mp4s.ts'
import * as playback from './playback.ts'
import * as playbackSessions from './playback-sessions.ts'
import * as player from './player.ts'
import * as posters from './posters.ts'
import * as previews from './previews.ts'
import * as quality from './quality.ts'
import * as s3 from './s3.ts'
import * as sounds from './sounds.ts'
import * as sources from './sources.ts'
import * as transcripts from './transcripts.ts'
import * as uploadParts from './upload-parts.ts'
import * as uploadTokens from './upload-tokens.ts'
import * as uploads from './uploads.ts'
import * as watermarks from './watermarks.ts'

export const video = area({
  name: 'video',
  title: 'Video',
  description: 'Resumable upload, assets, captions and playback sessions.',
  base: '/v1/stream',
  services: [servedDomains, countryLookup, dns],
  customHosts: servedDomains,
  listeners: [tls],
  observe: observeCertificates,
  routes: {
    health,
    uploads,
    uploadParts,
    uploadTokens,
    s3,
    imports,
    watermarks,
    assets,
    mp4s,
    clips,
    posters,
    previews,
    chapters,
    sounds,
    frames,
    captionLanguages,
    captions,
    transcripts,
    sources,
    playbackSessions,
    playback,
    domains,
    embedding,
    beacons,
    quality,
    analytics,
    player,
    contract,
  },
  console: { sections: [qualityPages.playback], pages: { qualityPages }, regions: { quality: qualityRegion } },
  dashboard: {
    finders,
    sections: [videosPages.section],
    pages: {
      videosPages,
      analyticsPages,
      embeddingPages,
      factPages,
      captionPages,
      transcriptPages,
      clipPages,
      posterPages,
      chapterPages,
      soundPages,
      videoPages,
    },
    regions: { video: videoRegion, extras: extrasRegion, videos: videosPages.videosRegion },
  },
})
