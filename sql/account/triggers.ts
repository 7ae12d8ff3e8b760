import type { AreaTrigger } from '../trigger.ts'

/** Triggers that count storage and usage in the transaction that stores or deletes a row. */
export const triggers: readonly AreaTrigger[] = [
  { on: 'video.assets', trigger: 'count_new', effect: 'adds or subtracts the bytes of an asset' },
  { on: 'video.assets', trigger: 'count_change', effect: 'adds the difference if the size of an asset changes' },
  { on: 'files.objects', trigger: 'count_new', effect: 'adds or subtracts the bytes of a file' },
  { on: 'files.objects', trigger: 'count_change', effect: 'adds the difference if the size of a file changes' },
  { on: 'files.image_variants', trigger: 'count_new', effect: 'adds or subtracts the bytes of an image variant' },
  {
    on: 'files.image_variants',
    trigger: 'count_change',
    effect: 'adds the difference if the size of an image variant changes',
  },
  { on: 'email.received', trigger: 'count_new', effect: 'adds or subtracts the bytes of a received email' },
  {
    on: 'email.received',
    trigger: 'count_received',
    effect: 'adds the bytes of an email and its files to the share of received email',
  },
  { on: 'wiki.snapshots', trigger: 'count_new', effect: 'adds or subtracts the bytes of a snapshot' },
  { on: 'wiki.snapshots', trigger: 'count_change', effect: 'adds the difference if the size of a snapshot changes' },
  {
    on: 'voice.calls',
    trigger: 'count_seconds',
    effect: 'counts the seconds of a call that ends, and releases its reserved seconds',
  },
]
