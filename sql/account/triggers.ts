import type { AreaTrigger } from '../trigger.ts'

/** Counts storage and usage in the transaction that stores or deletes a row. */
export const triggers: readonly AreaTrigger[] = [
  { on: 'video.assets', trigger: 'count_new', effect: 'adds the bytes of an asset, or takes them off' },
  { on: 'video.assets', trigger: 'count_change', effect: 'adds how much more or less an asset takes' },
  { on: 'files.objects', trigger: 'count_new', effect: 'adds the bytes of a file, or takes them off' },
  { on: 'files.objects', trigger: 'count_change', effect: 'adds how much more or less a file takes' },
  { on: 'email.received', trigger: 'count_new', effect: 'adds the bytes of a mail that came in, or takes them off' },
  {
    on: 'email.received',
    trigger: 'count_received',
    effect: 'adds the bytes of a mail and its files to the share of received mail',
  },
  { on: 'wiki.snapshots', trigger: 'count_new', effect: 'adds the bytes of a snapshot, or takes them off' },
  { on: 'wiki.snapshots', trigger: 'count_change', effect: 'adds how much more or less a snapshot takes' },
  {
    on: 'voice.calls',
    trigger: 'count_seconds',
    effect: 'counts the seconds of a call that ends, and lets go of those it had reserved',
  },
]
