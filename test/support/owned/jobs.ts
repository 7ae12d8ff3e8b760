import type { Owned } from './owned.ts'

export const jobs: Owned = ({ make }) => ({
  bodies: {},
  made: {
    // Without workers no request is sent.
    '/v1/jobs': () => make('POST /v1/jobs', { url: 'https://example.com/', delay: 3_600 }),
  },
})
