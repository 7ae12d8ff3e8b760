import type { Owned } from './owned.ts'

export const trust: Owned = ({ make }) => ({
  made: {
    '/v1/trust/lists': () => make('PUT /v1/trust/lists', { hostname: 'partner.example', policy: 'allow' }),
    '/v1/trust/watches': () => make('POST /v1/trust/watches', { url: 'https://partner.example/' }),
  },
  bodies: {},
})
