import type { AreaTrigger } from '../trigger.ts'

/** What the directory follows in other areas, in the transaction that changes them. */
export const triggers: readonly AreaTrigger[] = [
  { on: 'video.assets', trigger: 'follow_new', effect: 'lists an asset that is made public and ready at once' },
  { on: 'video.assets', trigger: 'follow_change', effect: 'lists an asset, shows what changed of it, or takes it out' },
  {
    on: 'directory.videos',
    trigger: 'note_recording',
    effect: 'notes that a listed video is the recording of a broadcast',
  },
  {
    on: 'live.broadcasts',
    trigger: 'follow_broadcast',
    effect: 'lists a broadcast that is on the air, and notes its end',
  },
  {
    on: 'live.channels',
    trigger: 'follow_live_channel',
    effect: 'shows a live channel’s broadcasts, or takes them out',
  },
  { on: 'live.sessions', trigger: 'follow_viewers', effect: 'shows how many watch a broadcast' },
]
