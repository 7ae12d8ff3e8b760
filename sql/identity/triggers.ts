import type { AreaTrigger } from '../trigger.ts'

/** What was read on a picture goes with it, in the transaction that deletes it. */
export const triggers: readonly AreaTrigger[] = [
  {
    on: 'files.objects',
    trigger: 'erase_reading',
    effect: 'erases the data read from an image when the image is deleted',
  },
  {
    on: 'files.objects',
    trigger: 'erase_reading_of_row',
    effect: 'erases the data read from an image when its row is removed',
  },
]
