import type { Storage } from '#lib/storage/storage.ts'
import type { Move } from '#sql/account/move/moves.ts'
import type { MovedTable } from '#sql/account/move/tables.ts'
import type { DatabasePool } from '#sql/db.ts'

export const stayingTables: Readonly<Record<string, string>> = {
  'account.closures': 'Receipts of data deleted in this cell.',
  'account.platform': 'Names the organisation of the platform itself, which does not move.',
  'account.moves': 'Stores the move in each of the two cells.',
  'account.moved': 'Stores the new location.',
  'account.moved_references': 'Store how its requests are forwarded.',
  'ai.audio': 'Requests in progress finish in the cell that received them.',
  'ai.completions': 'Requests in progress finish in the cell that received them.',
  'ai.embeddings': 'Rebuilt from text.',
  'ai.replies': 'Cached responses.',
  'ai.charges': 'Requests in progress finish in the cell that received them.',
  'webhooks.event_streams':
    'Clients continue in the new cell with a `gap` event, because positions are numbers of one cell.',
  'webhooks.streamed_events': 'Positions of this cell. `webhooks.events` has the events.',
  'jobs.shares': 'Counts pending work in this cell’s own queues.',
}

/** Tables whose IDs are in public URLs. Requests with these IDs are forwarded. */
export const tablesInUrls = [
  'account.orgs',
  'account.invitations',
  'video.assets',
  'video.uploads',
  'video.playback_sessions',
  'live.channels',
  'live.broadcasts',
  'rooms.rooms',
  'rooms.recordings',
  'bots.bots',
  'bots.conversations',
  'guard.sites',
  'guard.challenges',
  'files.objects',
  'push.apps',
  'email.messages',
  'email.contacts',
  'email.campaigns',
  'wiki.articles',
  'identity.checks',
  'whatsapp.business_numbers',
  'sms.providers',
] as const

export interface Side {
  name: string
  db: DatabasePool
  storage: Storage | undefined
}

export interface Moving {
  move: Pick<Move, 'id' | 'org_id' | 'objects'>
  source: Side
  target: Side
  tables: readonly MovedTable[]
  tell(line: string): void
  /** Called between steps. Tests end the process in this call. */
  step?(name: string): Promise<void> | void
}
