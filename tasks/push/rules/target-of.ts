import type { Audience, Target } from '#sql/push/targets.ts'

/** To whom a message goes, as its row says it. */
interface Addressed {
  target: Target
  user_id: string | null
  audience: Audience | null | undefined
}

/** To whom a message goes, as the API says it. */
export type ShownTarget =
  | { type: 'user' | 'topic'; id: string }
  | { type: 'users'; ids: string[] }
  | { type: 'segment'; tags: NonNullable<Audience['tags']> }
  | { type: 'all' }

/** To whom a message goes, as the API says it. */
export function targetOf({ target, user_id, audience }: Addressed): ShownTarget {
  switch (target) {
    case 'user':
      return { type: target, id: user_id ?? '' }
    case 'users':
      return { type: target, ids: audience?.users ?? [] }
    case 'topic':
      return { type: target, id: audience?.topic ?? '' }
    case 'segment':
      return { type: target, tags: audience?.tags ?? { all: [], any: [], none: [] } }
    case 'all':
      return { type: target }
  }
}

/** The same in a few words, for people. */
export function targetInWords({ target, user_id, audience }: Addressed): string {
  switch (target) {
    case 'user':
      return user_id ?? 'an anonymous device'
    case 'users':
      return `${audience?.users?.length ?? 0} people`
    case 'topic':
      return `the topic ${audience?.topic ?? ''}`
    case 'segment':
      return `a segment: ${rulesOf(audience?.tags)}`
    case 'all':
      return 'all devices'
  }
}

const rulesOf = ({ all, any, none }: NonNullable<Audience['tags']> = { all: [], any: [], none: [] }): string =>
  [
    all.length > 0 && `all of ${all.join(', ')}`,
    any.length > 0 && `any of ${any.join(', ')}`,
    none.length > 0 && `none of ${none.join(', ')}`,
  ]
    .filter((part) => part !== false)
    .join('; ')
