import type { AreaTrigger } from '../trigger.ts'

export const triggers: readonly AreaTrigger[] = [
  { on: 'bots.documents', trigger: 'forget_deleted', effect: 'removes a deleted document from the search index' },
  {
    on: 'account.members',
    trigger: 'unassign_removed',
    effect: 'removes a removed member from their conversations in the inbox',
  },
  {
    on: 'account.members',
    trigger: 'unassign_viewer',
    effect: 'removes a member who becomes a viewer from their conversations in the inbox',
  },
  {
    on: 'bots.documents',
    trigger: 'forget_changed',
    effect: 'removes the previous text of a document from the search index',
  },
  { on: 'files.objects', trigger: 'forget_in_stores', effect: 'removes a deleted file from all vector stores' },
  {
    on: 'files.objects',
    trigger: 'forget_unclean_in_stores',
    effect: 'removes the text of a file that is no longer clean from all vector stores',
  },
  {
    on: 'wiki.published',
    trigger: 'forget_deleted',
    effect: 'removes a withdrawn or deleted article from the search index',
  },
]
