import type { Db } from '#sql/db.ts'
import * as gate from '#sql/wiki/gate.ts'
import { problem } from '../http/problem-kinds.ts'

export const wouldUnprove = problem(
  409,
  'would_unprove',
  'The change would leave a published article without proof. `details` lists the claims and articles.',
)

const keyOf = ({ article_id, claim_id, problem }: gate.ArticleFault) => `${article_id} ${claim_id} ${problem}`

/**
 * Changes claims, their evidence or the articles that use them. Throws 409 if a published article would then have an
 * unproven claim. Claims that were already unproven under earlier rules can stay unproven. `articleIds` are articles to
 * which a claim is added.
 */
export async function keepProven<Result>(
  tx: Db,
  { claimIds, articleIds = [] }: { claimIds: readonly string[]; articleIds?: readonly string[] | undefined },
  work: () => Promise<Result>,
): Promise<Result> {
  const articles = await gate.lock(tx, claimIds, articleIds)
  const before = new Set((await gate.findFaults(tx, claimIds, articles)).map(keyOf))
  const result = await work()
  const broken = (await gate.findFaults(tx, claimIds, articles)).filter((one) => !before.has(keyOf(one)))
  if (broken.length === 0) return result
  const slugs = [...new Set(broken.map(({ slug }) => slug))]
  throw wouldUnprove(
    `The change would leave these published articles without proof: ${slugs.slice(0, 10).join(', ')}.`,
    {
      claims: broken.filter(({ claim_id }) => claim_id !== null),
      articles: [...new Map(broken.map(({ article_id: id, slug }) => [id, { id, slug }])).values()],
    },
  )
}
