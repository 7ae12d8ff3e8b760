import { newId } from '#lib/ids.ts'
import * as calls from '#sql/voice/calls.ts'
import type { Owned } from './owned.ts'

export const voice: Owned = ({ db, owner }) => ({
  made: {
    '/v1/voice/calls': async () => {
      const [id, org_id] = [newId(), owner.org.id]
      const facts = { ring_timeout_seconds: 30, max_duration_seconds: 60, metadata: {} }
      await calls.insert(
        db,
        { id, org_id, key_id: null, caller_id: '+3726000001', ...facts },
        { a: '+37251', b: '+37252' },
      )
      return id
    },
  },
  bodies: {},
})
