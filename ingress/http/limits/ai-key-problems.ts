import { type DeclaredProblem, problem } from '../problem-kinds.ts'

const notAllowed = problem(403, 'model_not_allowed', 'The API key is not allowed to use this model.')
const withoutPrice = problem(
  403,
  'model_without_price',
  'The API key has a budget, and the model has no price in its currency.',
)
const budgetExceeded = problem(
  429,
  'key_budget_exceeded',
  'The AI budget of the API key has been used up. `Retry-After` gives the seconds until the next day or month.',
)

/** Problems of API keys with AI limits. */
export const keyProblems: readonly DeclaredProblem[] = [notAllowed, withoutPrice, budgetExceeded]
