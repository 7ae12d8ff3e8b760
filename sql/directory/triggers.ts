import type { AreaTrigger } from '../trigger.ts'

export const triggers: readonly AreaTrigger[] = [
  { on: 'video.assets', trigger: 'follow_new', effect: 'lists an asset that is public and ready when it is created' },
  { on: 'video.assets', trigger: 'follow_change', effect: 'lists an asset, updates its entry, or removes it' },
  {
    on: 'directory.videos',
    trigger: 'note_recording',
    effect: 'marks a listed video as the recording of a broadcast',
  },
  {
    on: 'live.broadcasts',
    trigger: 'follow_broadcast',
    effect: 'lists a live broadcast and records its end',
  },
  {
    on: 'live.channels',
    trigger: 'follow_live_channel',
    effect: 'lists the broadcasts of a live channel, or removes them',
  },
  { on: 'live.sessions', trigger: 'follow_viewers', effect: 'updates the number of viewers of a broadcast' },
]
