import type { Audience, Target } from '#sql/push/targets.ts'

interface Addressed {
  target: Target
  user_id: string | null
  audience: Audience | null | undefined
}

export type ShownTarget =
  | { type: 'user' | 'topic'; id: string }
  | { type: 'users'; ids: string[] }
  | { type: 'segment'; tags: NonNullable<Audience['tags']> }
  | { type: 'all' }

export function presentTarget({ target, user_id, audience }: Addressed): ShownTarget {
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

export function describeTarget({ target, user_id, audience }: Addressed): string {
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
