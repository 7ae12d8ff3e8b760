import type { Owned } from './owned.ts'

/** Each erasure needs a person of its own, because a person is erased once at a time. */
export const people: Owned = ({ make }) => {
  let erasures = 0
  return {
    made: {
      '/v1/people': () =>
        make('PUT /v1/notify/people/bob', { email: 'bob@rcpt.example', phone: '+3725550109' }, 'user_id'),
      '/v1/people/erasures': async () => {
        const user = await make(`PUT /v1/notify/people/erased-${++erasures}`, { name: 'Erased' }, 'user_id')
        return await make(`POST /v1/people/${user}/erase`, {})
      },
    },
    bodies: { 'people.consent.put': { email: 'denied', source: 'form' } },
  }
}
