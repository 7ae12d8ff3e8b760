import type { AreaTrigger } from '../trigger.ts'

/** Erases the data read from an image in the transaction that deletes the image. */
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
