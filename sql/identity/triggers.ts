import type { AreaTrigger } from '../trigger.ts'

/** What was read on a picture goes with it, in the transaction that deletes it. */
export const triggers: readonly AreaTrigger[] = [
  { on: 'files.objects', trigger: 'erase_reading', effect: 'erases what was read on a picture that is deleted' },
  {
    on: 'files.objects',
    trigger: 'erase_reading_of_row',
    effect: 'erases what was read on a picture whose row is gone',
  },
]
