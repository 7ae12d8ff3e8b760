import type { Owned } from './owned.ts'

export const identity: Owned = ({ make }) => ({
  made: { '/v1/identity/face-checks': () => make('POST /v1/identity/face-checks', { idp_sub: 'owned' }) },
  bodies: {},
})
