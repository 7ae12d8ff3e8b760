import type { Owned } from './owned.ts'

const suppressions = { provider: 'postmark', part: 'suppressions', csv: 'email\nann@people.example\n' }

export const moving: Owned = ({ make }) => {
  let made: Promise<string> | undefined
  const start = () => {
    made ??= make('POST /v1/moving/imports', suppressions)
    return made
  }
  return { made: { '/v1/moving/imports': start }, bodies: { 'moving.imports.create': suppressions } }
}
