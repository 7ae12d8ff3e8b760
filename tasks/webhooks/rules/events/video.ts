import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Asset = z.strictObject({
  id: Id.describe('Asset ID'),
  title: z.string().nullable(),
  description: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  externalRef: z.string().nullable(),
  filename: z.string().nullable(),
  status: z.string(),
  failure_code: z.string().nullable().describe('Failure code, for use in code'),
  failure_summary: z.string().nullable().describe('Failure description for the owner'),
  visibility: z.string(),
  durationSeconds: z.number().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})

const asset: z.input<typeof Asset> = {
  id: createSampleId(10),
  title: 'Harbour',
  description: null,
  metadata: {},
  externalRef: null,
  filename: 'harbour.mp4',
  status: 'ready',
  failure_code: null,
  failure_summary: null,
  visibility: 'public',
  durationSeconds: 61.2,
  width: 1920,
  height: 1080,
}

const Broadcast = z.strictObject({
  broadcastId: Id,
  channelId: Id,
  name: z.string(),
  slug: z.string(),
  startedAt: Time,
  endedAt: Time.nullable(),
  endReason: z.string().nullable(),
  assetId: Id.nullable().describe('Asset of the recording'),
})

const broadcast: z.input<typeof Broadcast> = {
  broadcastId: createSampleId(11),
  channelId: createSampleId(12),
  name: 'Town hall',
  slug: 'town-hall',
  startedAt: sampleTime,
  endedAt: null,
  endReason: null,
  assetId: null,
}

const ended = { endedAt: '2026-01-01T13:00:00.000Z', endReason: 'publisher_left', assetId: createSampleId(11) }

const Scheduled = z.strictObject({
  scheduledId: Id,
  channelId: Id,
  name: z.string().describe('Name of the channel'),
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  posterUrl: z.string().nullable(),
  startsAt: Time,
  minutesBefore: z.int().nullable().describe('Minutes before the start. `null` if the broadcast was missed.'),
})

const scheduled: z.input<typeof Scheduled> = {
  scheduledId: createSampleId(16),
  channelId: createSampleId(12),
  name: 'Town hall',
  slug: 'town-hall',
  title: 'Questions and answers',
  description: '',
  posterUrl: null,
  startsAt: sampleTime,
  minutesBefore: 15,
}

const Participant = z.strictObject({
  roomId: Id,
  participantId: z.string(),
  identity: z.string().nullable(),
  displayName: z.string().nullable(),
  role: z.string(),
  joinedAt: Time,
})

const participant = {
  roomId: createSampleId(13),
  participantId: 'p_1',
  identity: 'ada',
  displayName: 'Ada',
  role: 'host',
  joinedAt: sampleTime,
}

const room = { roomId: createSampleId(13), name: 'Stand-up', startedAt: sampleTime }

export const video = {
  'video.asset.playable': kind('An asset can be played. More renditions may follow.', Asset, {
    ...asset,
    status: 'processing',
  }),
  'video.asset.ready': kind('All renditions of an asset are ready.', Asset, asset),
  'video.asset.failed': kind('An asset could not be processed.', Asset, {
    ...asset,
    status: 'failed',
    failure_code: 'not_media',
    failure_summary: 'This file contains no video.',
  }),
  'video.asset.updated': kind('The metadata or the visibility of an asset has changed.', Asset, asset),
  'video.asset.deleted': kind('An asset was deleted. The event contains its last state.', Asset, asset),
  'video.captions.ready': kind(
    'Captions of an asset are ready.',
    z.strictObject({ id: Id, asset_id: Id, language: z.string(), cues: z.int() }),
    { id: createSampleId(14), asset_id: createSampleId(10), language: 'en', cues: 12 },
  ),
  'video.live.starting': kind('A scheduled broadcast starts in `minutesBefore` minutes.', Scheduled, scheduled),
  'video.live.missed': kind('A scheduled broadcast did not start in time.', Scheduled, {
    ...scheduled,
    minutesBefore: null,
  }),
  'video.live.started': kind('A broadcast is live and can be watched.', Broadcast, broadcast),
  'video.live.ended': kind('A broadcast has ended.', Broadcast, { ...broadcast, ...ended }),
  'video.live.recorded': kind('The recording of a broadcast can be played.', Broadcast, { ...broadcast, ...ended }),
  'video.room.started': kind(
    'The first participant has joined a room.',
    z.strictObject({ roomId: Id, name: z.string(), startedAt: Time }),
    room,
  ),
  'video.room.participant.joined': kind('A participant has joined a room.', Participant, participant),
  'video.room.participant.waiting': kind(
    'A participant is waiting in the waiting room.',
    z.strictObject({
      roomId: Id,
      waitingId: Id,
      identity: z.string(),
      displayName: z.string(),
      role: z.string(),
      since: Time,
    }),
    {
      roomId: createSampleId(13),
      waitingId: createSampleId(15),
      identity: 'ada',
      displayName: 'Ada',
      role: 'participant',
      since: sampleTime,
    },
  ),
  'video.room.participant.left': kind(
    'A participant has left a room.',
    Participant.extend({ leftAt: Time.nullable(), reason: z.string().nullable() }),
    { ...participant, leftAt: ended.endedAt, reason: 'left' },
  ),
  'video.room.ended': kind(
    'A room has ended.',
    z.strictObject({
      roomId: Id,
      name: z.string(),
      startedAt: Time.nullable(),
      endedAt: Time.nullable(),
      reason: z.string().nullable(),
    }),
    { ...room, endedAt: ended.endedAt, reason: 'empty' },
  ),
}
