import type { AreaTrigger } from '../trigger.ts'

export const triggers: readonly AreaTrigger[] = [
  { on: 'bots.documents', trigger: 'forget_deleted', effect: 'takes a document that is deleted out of what is found' },
  {
    on: 'bots.documents',
    trigger: 'forget_changed',
    effect: 'takes the former text of a document out of what is found',
  },
]
