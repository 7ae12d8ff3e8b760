import type { Owned } from './owned.ts'

export const guard: Owned = ({ make }) => {
  let made: Promise<string> | undefined
  const site = () => {
    made ??= make('POST /v1/guard/sites', { name: 'a', origins: [] })
    return made
  }
  return { made: { '/v1/guard/sites': site, '/v1/guard/challenges': site }, bodies: answers }
}

const answers = { 'guard.answers.complete': { answer: 'AAAA' } }
