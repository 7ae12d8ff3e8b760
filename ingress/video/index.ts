import { observeCertificates } from '#tasks/video/rules/domains/certificate-gauges.ts'
import { area } from '../http/area.ts'
import * as assets from './assets.ts'
import * as beacons from './beacons.ts'
import * as captions from './captions.ts'
import * as contract from './contract.ts'
import * as domains from './domains.ts'
import * as health from './health.ts'
import { liveOrigins } from './live/origins.ts'
import * as liveBroadcasts from './live-broadcasts.ts'
import * as liveChannels from './live-channels.ts'
import * as liveKeys from './live-keys.ts'
import * as livePages from './live-pages.ts'
import * as livePlayback from './live-playback.ts'
import * as livePlaybackSessions from './live-playback-sessions.ts'
import { liveRegion } from './live-region.ts'
import * as liveWatch from './live-watch.ts'
import * as playback from './playback.ts'
import * as playbackSessions from './playback-sessions.ts'
import * as player from './player.ts'
import * as quality from './quality.ts'
import * as qualityPages from './quality-pages.ts'
import { qualityRegion } from './quality-region.ts'
import * as roomBroadcasts from './room-broadcasts.ts'
import * as roomClient from './room-client.ts'
import * as roomConnect from './room-connect.ts'
import * as roomJoin from './room-join.ts'
import * as roomPages from './room-pages.ts'
import * as roomParticipants from './room-participants.ts'
import * as roomRecordings from './room-recordings.ts'
import { roomRegion } from './room-region.ts'
import * as roomTokens from './room-tokens.ts'
import * as rooms from './rooms.ts'
import { servedDomains } from './served-domains.ts'
import { countryOf, dns } from './services.ts'
import * as sources from './sources.ts'
import { tls } from './tls.ts'
import * as uploadParts from './upload-parts.ts'
import * as uploads from './uploads.ts'
import * as watermarks from './watermarks.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/** Video: resumable upload, assets, playback; live channels; rooms. */
export const video = area({
  name: 'video',
  title: 'Video',
  description: 'Resumable upload, assets, live channels, rooms and playback sessions.',
  base: '/v1/stream',
  services: [servedDomains, countryOf, dns, liveOrigins],
  customHosts: servedDomains,
  listeners: [tls],
  observe: observeCertificates,
  routes: {
    health: { check: health.check, live: health.live },
    uploads: {
      start: uploads.start,
      status: uploads.status,
      pause: uploads.pause,
      resume: uploads.resume,
      complete: uploads.complete,
      abort: uploads.abort,
    },
    'upload-parts': { sign: uploadParts.sign },
    watermarks: { create: watermarks.create, list: watermarks.list, image: watermarks.image },
    assets: {
      list: assets.list,
      read: assets.read,
      setVisibility: assets.setVisibility,
      remove: assets.remove,
    },
    captions: { create: captions.create, read: captions.read },
    sources: { read: sources.read },
    'playback-sessions': { mint: playbackSessions.mint, revoke: playbackSessions.revoke },
    playback: {
      signed: playback.signed,
      signedPackage: playback.signedPackage,
      open: playback.open,
      openPackage: playback.openPackage,
    },
    'live-playback': { file: livePlayback.file, openFile: livePlayback.openFile, entry: livePlayback.entry },
    domains: {
      create: domains.create,
      list: domains.list,
      read: domains.read,
      remove: domains.remove,
      verify: domains.verify,
    },
    'live-channels': {
      create: liveChannels.create,
      list: liveChannels.list,
      read: liveChannels.read,
      update: liveChannels.update,
      remove: liveChannels.remove,
    },
    'live-keys': { rotate: liveKeys.rotate },
    'live-playback-sessions': { mint: livePlaybackSessions.mint },
    'live-watch': { page: liveWatch.page },
    'live-broadcasts': { list: liveBroadcasts.list, end: liveBroadcasts.end },
    'room-client': { load: roomClient.load, declarations: roomClient.declarations, file: roomClient.file },
    'room-join': { page: roomJoin.page },
    rooms: { create: rooms.create, list: rooms.list, read: rooms.read, end: rooms.end },
    'room-broadcasts': { start: roomBroadcasts.start, read: roomBroadcasts.read, stop: roomBroadcasts.stop },
    'room-recordings': { list: roomRecordings.list },
    'room-tokens': { issue: roomTokens.issue },
    'room-connect': { connect: roomConnect.connect },
    'room-participants': {
      list: roomParticipants.list,
      kick: roomParticipants.kick,
      mute: roomParticipants.mute,
      setRole: roomParticipants.setRole,
    },
    beacons: { collect: beacons.collect },
    quality: { read: quality.read },
    player: { file: player.file },
    webhooks: {
      create: webhooks.create,
      list: webhooks.list,
      remove: webhooks.remove,
      test: webhooks.test,
      rotateSecret: webhooks.rotateSecret,
      enable: webhooks.enable,
    },
    'webhook-deliveries': {
      list: webhookDeliveries.list,
      replay: webhookDeliveries.replay,
      replaySince: webhookDeliveries.replaySince,
    },
    contract: { docs: contract.docs, document: contract.document },
  },
  console: {
    sections: [qualityPages.playback, livePages.live, roomPages.rooms],
    pages: {
      'quality-pages': { list: qualityPages.list, show: qualityPages.show },
      'live-pages': { overview: livePages.overview },
      'room-pages': { overview: roomPages.overview },
    },
    regions: { quality: qualityRegion, broadcasts: liveRegion, rooms: roomRegion },
  },
})
