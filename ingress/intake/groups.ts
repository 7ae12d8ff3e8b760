import { notFound, type Problem } from '#lib/errors.ts'
import type { Seal } from '#lib/seal.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type * as requests from '#sql/intake/requests.ts'
import { type ReceivedRequest, receiveRequests, recordRejected } from '#tasks/intake/rules/receive.ts'
import { createGroupCommit, groupCommitDefaults } from '../http/database/group-commit.ts'

interface Groups {
  receive(request: ReceivedRequest): Promise<string>
  reject(request: requests.NewRequest): Promise<void>
}

/** Size in bytes from which a body is committed alone, so that a group stays small. */
const largeBytes = 64 * 1024

const large = { ...groupCommitDefaults, size: 1, queue: 100 }

/** Creates the functions that store requests. Requests that arrive at the same time share a transaction. */
function createGroups(db: DatabasePool, seal: Seal): Groups {
  const receive = {
    commit: async (tx: Db, received: readonly ReceivedRequest[]) =>
      (await receiveRequests(tx, received, seal)).map((receipt): string | Problem => receipt?.id ?? notFound('source')),
  }
  const reject = {
    commit: async (tx: Db, rejected: readonly requests.NewRequest[]) => {
      await recordRejected(tx, rejected)
      return rejected.map(() => '')
    },
  }
  const text = (value: unknown) => String(value)
  const small = createGroupCommit(db, receive, text)
  const alone = createGroupCommit(db, receive, text, large)
  const refused = createGroupCommit(db, reject, text)
  return {
    receive: async (request) => (await (request.size < largeBytes ? small : alone)(request)).text,
    reject: async (request) => void (await refused(request)),
  }
}

const known = new WeakMap<DatabasePool, Groups>()

export function groupsOf(db: DatabasePool, createSeal: () => Seal): Groups {
  const groups = known.get(db) ?? createGroups(db, createSeal())
  known.set(db, groups)
  return groups
}
